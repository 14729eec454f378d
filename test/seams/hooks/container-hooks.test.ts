import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claudeHooks } from '../../../src/seams/hooks/claude-hooks.ts';
import { openBench } from '../../docker/support/sandbox-bench.ts';
import type { SandboxBench } from '../../docker/support/sandbox-bench.ts';
import { bench, text, tool } from '../../harness/agent/agent-bench.ts';
import { calls, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { group, hookResults, resultTexts } from './hook-bench.ts';

let sandbox: SandboxBench;
beforeAll(async () => {
  sandbox = await openBench();
});
afterAll(() => sandbox.close());

const SECRET = 'sk-of-the-host';
const written = (name: string) => readFile(join(sandbox.tree, name), 'utf8');

async function inContainer(settings: Record<string, unknown>, script: ScriptedReply[]) {
  const b = await bench(script);
  b.ctx.provide('bash', sandbox.bash({ environment: { config: { DEEPSEEK_API_KEY: SECRET, PLAIN: 'yes' } } }));
  b.ctx.tools.register(tool('bash'));
  await b.ctx.plugin(claudeHooks, { settings });
  return (await b.create({ meta: { cwd: '/workspace' } })).agent;
}

/** Command lines of what still runs inside. */
async function processes(): Promise<string> {
  const bash = sandbox.bash();
  return (await bash.run(bash.resolve({ command: "ps -eo stat,args | grep -v '^Z'" }))).stdout.text;
}

describe('hooks', () => {
  it('H10 a hook runs in the container, in the session cwd, with its payload on stdin and without a secret', async () => {
    const command = 'cat > payload.json; env > env.txt; pwd > cwd.txt; echo "$CLAUDE_PROJECT_DIR" > dir.txt';
    const agent = await inContainer({ PreToolUse: [group('bash', command)] }, [
      calls('bash', { command: 'ls' }),
      says('ok'),
    ]);
    agent.send(text('go'));
    await agent.whenIdle();

    expect(hookResults(agent.session)).toEqual([expect.objectContaining({ decision: 'pass', exitCode: 0 })]);
    expect(JSON.parse(await written('payload.json'))).toMatchObject({
      tool_input: { command: 'ls' },
      cwd: '/workspace',
    });
    expect([await written('cwd.txt'), await written('dir.txt')]).toEqual(['/workspace\n', '/workspace\n']);
    const env = await written('env.txt');
    expect(env).toContain('PLAIN=yes');
    expect(env).not.toMatch(/sk-of-the-host|TOKEN|API_KEY/);
  });

  it('H1 H10 an unmodified shell hook reads the payload and denies by exit 2', async () => {
    const command = `if grep -q '"command":"rm '; then echo 'rm is not allowed here' >&2; exit 2; fi`;
    const script = [calls('bash', { command: 'rm -rf x' }), calls('bash', { command: 'ls' }), says('ok')];
    const agent = await inContainer({ PreToolUse: [group('bash', command)] }, script);
    agent.send(text('go'));
    await agent.whenIdle();

    expect(resultTexts(agent.session)).toEqual(['Error: rm is not allowed here', 'bash done']);
  });

  it('H11 a cancelled turn leaves nothing of a hook behind, its children included', async () => {
    const agent = await inContainer({ PreToolUse: [group('bash', 'setsid sleep 71 & sleep 72; wait')] }, [
      calls('bash'),
      says('ok'),
    ]);
    agent.send(text('go'));
    while (!(await processes()).includes('sleep 72')) await sleep(20);
    agent.cancel();
    await agent.whenIdle();

    expect(agent.session.events.at(-1)).toMatchObject({ type: 'turn/end', data: { reason: { kind: 'aborted' } } });
    expect(await processes()).not.toMatch(/sleep 7[12]/);
  });
});
