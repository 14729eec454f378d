import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ConfigFile } from '../../src/config/config-file.ts';
import { mergeConfig } from '../../src/config/merge-config.ts';
import { connectEngine } from '../../src/docker/engine.ts';
import { removeContainersOf } from '../../src/docker/sweep/sweep-containers.ts';
import { workerBoot } from '../../src/docker/sweep/worker-boot.ts';
import type { SessionEvent, SessionId } from '../../src/harness/session/types.ts';
import { runSubagent } from '../../src/seams/subagent/run-subagent.ts';
import { GitFixture, writeFiles } from '../github/support/git-fixture.ts';
import { calls, says, ScriptedModel } from '../support/scripted-model.ts';
import type { ScriptedReply } from '../support/scripted-model.ts';
import { text } from '../harness/agent/agent-bench.ts';
import { openTestRoom } from './support/open-test-room.ts';
import { containersOf, makeTree } from './support/sandbox-bench.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function room(script: readonly ScriptedReply[]) {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-children-'));
  const tree = await makeTree({ 'a.txt': 'a\n' });
  undo.push(() => [folder, tree].map((path) => rmSync(path, { recursive: true, force: true })));
  const model = new ScriptedModel(script);
  const options = { config: mergeConfig({ subagents: true }) };
  const opened = await openTestRoom({ folder, tree, session: 'gh-1-9-1', model, options });
  undo.push(() => opened.close());
  return { ...opened, agent: opened.handle.agent, model, tree };
}

const bash = (command: string) => calls('bash', { description: 'test', command });
const patchIn = (events: readonly SessionEvent[]) =>
  events.flatMap(({ type, data }) => (type === 'subagent/ended' ? (data.patch ?? []) : []))[0];
const resultsOf = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === 'tool/result' ? [JSON.stringify(event.data.content)] : []));

describe('subagent', () => {
  it('N1 N3 a child works on its parent’s tree: as it stands, and, to explore, without a way to change it', async () => {
    const { agent, ctx, model, tree } = await room([
      bash('echo parent > b.txt'),
      calls('subagent', { description: 'look', prompt: 'What is in b.txt?' }),
      bash('cat b.txt; echo child > c.txt; echo ended $?'),
      says('b.txt:1'),
      says('done'),
    ]);
    const logs: (readonly SessionEvent[])[] = [];
    ctx.on('subagent/end', ({ id }) => void logs.push(ctx.sessions.get(id)!.events));
    agent.send(text('go'));
    await agent.whenIdle();

    const [seen] = resultsOf(logs[0]!);
    expect(seen).toContain('parent');
    expect(seen).toMatch(/[Rr]ead-only file system|[Pp]ermission denied/);
    expect(resultsOf(agent.session.events)[1]).toContain('b.txt:1');
    expect(readFileSync(join(tree, 'b.txt'), 'utf8')).toBe('parent\n');
    expect(() => readFileSync(join(tree, 'c.txt'))).toThrow('ENOENT');
    expect(model.requests).toHaveLength(5);
  }, 60_000);

  it('N7 a parent that is stopped while three children run commands leaves none of them behind', async () => {
    const b = await room([bash('sleep 61 & sleep 62'), bash('sleep 61 & sleep 62'), bash('sleep 61 & sleep 62')]);
    const controller = new AbortController();
    const { signal } = controller;
    const began = Promise.withResolvers<void>();
    let running = 0;
    b.ctx.on('tools/execute', async (_exec, next) => {
      running += 1;
      if (running === 3) began.resolve();
      return next();
    });
    const three = [1, 2, 3].map((n) =>
      runSubagent(b.ctx, 'spawn', { prompt: text(`part ${n}`), parent: b.agent, signal }),
    );
    await began.promise;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const stoppedAt = Date.now();
    controller.abort();
    const results = await Promise.all(three);

    expect(results.map(({ stopReason }) => stopReason)).toEqual(['aborted', 'aborted', 'aborted']);
    expect(Date.now() - stoppedAt).toBeLessThan(10_000);
    const { stdout } = await b.ctx.bash.run(b.ctx.bash.resolve({ command: 'pgrep -c sleep || true' }));
    expect(stdout.text.trim()).toBe('0');
    expect(b.ctx.agents.list()).toHaveLength(1);
  }, 60_000);

  describe('with a tree of its own', () => {
    const docker = connectEngine(process.env['DOCKER_HOST']);
    const part = { description: 'one part', prompt: 'Write part.txt.' };

    async function fix(session: string, script: readonly ScriptedReply[], config: ConfigFile = {}) {
      const fixture = new GitFixture();
      undo.push(() => fixture.close());
      fixture.commit({ 'a.txt': 'a\n', '.gitignore': 'deps/\n' });
      const checkout = await fixture.open();
      writeFiles(checkout.workTree, { 'deps/tool': { script: 'echo installed' } });
      const model = new ScriptedModel(script);
      const options = { config: mergeConfig({ subagents: true }, config), checkout };
      const parts = { folder: fixture.dataDir, tree: checkout.workTree, session, model, options };
      const opened = await openTestRoom(parts);
      let isOpen = true;
      const close = async () => void (isOpen && ((isOpen = false), await opened.close()));
      undo.push(close);
      const trees = () => readdirSync(join(fixture.dataDir, 'setup/.trees'));
      const agent = opened.handle.agent;
      const text = (path: string) => readFileSync(join(checkout.workTree, path), 'utf8');
      return { ...opened, agent, model, checkout, trees, text, close, dataDir: fixture.dataDir };
    }

    it('N2 N4 a child writes in a container and tree of its own, from what its parent’s tree holds, until the parent takes its patch over', async () => {
      let during: unknown;
      const b = await fix('gh-1-9-2', [
        bash('(setsid sleep 62 >/dev/null 2>&1 &); echo parent > b.txt; hostname'),
        calls('subagent_isolated', part),
        {
          ...bash('hostname; cat b.txt; sh deps/tool; echo part > part.txt; echo more >> a.txt; git status --short'),
        },
        { ...says('part.txt:1 is there.'), before: look },
        {
          get chunks() {
            during = { ...(during as object), after: [existsSync(join(b.checkout.workTree, 'part.txt')), b.trees()] };
            return calls('apply_subagent_patch', { patch: patchIn(b.agent.session.events) }).chunks;
          },
        },
        says('done'),
      ]);
      async function look() {
        const containers = await containersOf(docker, 'gh-1-9-2');
        during = {
          containers: containers.length,
          trees: b.trees(),
          leftRunning: await sleepersOf('gh-1-9-2'),
          boot: containers.map(({ Labels }) => Labels['dsh.boot']),
        };
      }
      b.agent.send(text('go'));
      await b.agent.whenIdle();

      const [own, child, applied] = resultsOf(b.agent.session.events);
      expect(during).toMatchObject({
        containers: 2,
        leftRunning: 0,
        trees: [expect.stringContaining(`${workerBoot()}.`)],
        boot: [workerBoot(), workerBoot()],
        after: [false, []],
      });
      expect(child).toMatch(
        /part\.txt:1 is there\..*Its changes are patch [0-9a-f]{40}.* a\.txt +\| 1 \+.* part\.txt \| 1 \+/,
      );
      expect(child).toContain('+part');
      expect(applied).toContain('is in the tree: a.txt, part.txt');
      expect([b.text('part.txt'), b.text('a.txt'), b.text('b.txt')]).toEqual(['part\n', 'a\nmore\n', 'parent\n']);
      const told = JSON.stringify(b.model.requests[3]!.messages);
      expect(told).toMatch(/parent\\+ninstalled/);
      expect(told).not.toContain(/[0-9a-f]{12}/.exec(own!)![0]);
      expect(await containersOf(docker, 'gh-1-9-2')).toHaveLength(1);
      const { session } = b.agent.session.events.find(({ type }) => type === 'subagent/started')!.data as {
        session: SessionId;
      };
      const { meta, events } = await b.ctx.persistence.inspect(session);
      expect(meta).toMatchObject({ parentSession: 'gh-1-9-2', delegationDepth: 1, cwd: '/workspace' });
      expect(events.find(({ type }) => type === 'approval/policy')?.data).toMatchObject({ policy: 'never' });
      expect(b.agent.session.events.filter(({ type }) => type === 'subagent/ended')).toMatchObject([
        { data: { stopReason: 'completed', steps: 2, spent: [{ usage: { inputTokens: 20 } }] } },
      ]);
    }, 90_000);

    it('N2 N7 three of them that run when their parent is stopped leave no container, tree or agent behind', async () => {
      const b = await fix(
        'gh-1-9-3',
        [1, 2, 3].map(() => bash('sleep 61 & sleep 62')),
      );
      const controller = new AbortController();
      const { signal } = controller;
      const runs = [1, 2, 3].map((n) =>
        runSubagent(b.ctx, 'spawn-isolated', { prompt: text(`part ${n}`), parent: b.agent, signal }),
      );
      await until(async () => (await sleepersOf('gh-1-9-3')) === 3);
      controller.abort();
      const results = await Promise.all(runs);

      expect(results.map(({ stopReason }) => stopReason)).toEqual(['aborted', 'aborted', 'aborted']);
      expect(await containersOf(docker, 'gh-1-9-3')).toHaveLength(1);
      expect(b.trees()).toEqual([]);
      expect(b.ctx.agents.list()).toHaveLength(1);
    }, 90_000);

    it('N2 N5 the tree of a child may grow by no more than its parent’s', async () => {
      const flood = bash('head -c 30000000 /dev/zero > big; sleep 3');
      const b = await fix('gh-1-9-5', [flood, says('too much')], { sandbox: { growthMb: 5 } });
      const results: string[] = [];
      const { signal } = new AbortController();
      const run = await b.ctx.subagents.start('spawn-isolated', { prompt: text('fill it'), parent: b.agent, signal });
      run.localAgent!.ctx.on('session/event', (_session, event) => {
        if (event.type === 'tool/result') results.push(...resultsOf([event]));
      });
      await run.result;
      await run.dispose();

      expect(results).toEqual([expect.stringContaining('the limit is 5 MiB')]);
      expect(b.trees()).toEqual([]);
    }, 90_000);

    it('N2 N6 who takes the session over finds the containers of its children, and a child goes with its parent', async () => {
      const b = await fix('gh-1-9-4', [bash('sleep 62'), says('it is gone'), bash('sleep 62')]);
      const { signal } = new AbortController();
      const start = async () => {
        const run = runSubagent(b.ctx, 'spawn-isolated', { prompt: text('part'), parent: b.agent, signal });
        await until(async () => (await sleepersOf('gh-1-9-4')) === 1);
        return { run };
      };
      const taken = await start();
      await removeContainersOf(docker, 'gh-1-9-4', b.dataDir);
      expect(await containersOf(docker, 'gh-1-9-4')).toEqual([]);
      expect((await taken.run).output).toEqual(text('it is gone'));
      const other = await start();
      await b.close();

      expect((await other.run).stopReason).toBe('error');
      expect(b.trees()).toEqual([]);
      expect(await containersOf(docker, 'gh-1-9-4')).toEqual([]);
    }, 90_000);

    async function sleepersOf(session: string): Promise<number> {
      const containers = await containersOf(docker, session);
      const tops = await Promise.all(
        containers.map(({ Id }) =>
          docker
            .getContainer(Id)
            .top()
            .catch(() => ({ Processes: [] })),
        ),
      );
      return tops.filter(({ Processes }) => JSON.stringify(Processes).includes('sleep 62')).length;
    }

    async function until(holds: () => Promise<boolean>): Promise<void> {
      for (let tries = 0; tries < 200 && !(await holds()); tries++)
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
});
