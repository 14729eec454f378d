import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { mergeConfig } from '../../src/config/merge-config.ts';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { runSubagent } from '../../src/seams/subagent/run-subagent.ts';
import { calls, says, ScriptedModel } from '../support/scripted-model.ts';
import type { ScriptedReply } from '../support/scripted-model.ts';
import { text } from '../harness/agent/agent-bench.ts';
import { openTestRoom } from './support/open-test-room.ts';
import { makeTree } from './support/sandbox-bench.ts';

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
});
