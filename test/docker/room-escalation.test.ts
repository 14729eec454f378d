import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { RoomOptions } from '../../src/bot/job/room.ts';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import type { Context, Plugin } from '../../src/harness/kernel/context.ts';
import { calls, says, ScriptedModel } from '../support/scripted-model.ts';
import { openTestRoom } from './support/open-test-room.ts';
import { makeTree } from './support/sandbox-bench.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

interface Told {
  readonly asked: string[];
  readonly results: string[];
  readonly fields: string[];
  readonly description: string;
  readonly tree: string;
}

/** Somebody who answers whatever is asked; in the place of the people on GitHub. */
function answerer(answer: 'allowed-once' | 'rejected', asked: string[]): Plugin<void> {
  const request = async ({ reason }: { reason?: string }) => (asked.push(reason ?? ''), answer);
  return {
    name: 'answerer',
    apply(ctx: Context) {
      if (ctx.get('approval')) ctx.on('approval/request' as never, request as never, { prepend: true });
      else ctx.provide('approval', { request } as never);
    },
  };
}

/** One turn in a room as the product opens it: the model makes these calls. */
async function turn(
  options: Partial<RoomOptions>,
  answer: 'allowed-once' | 'rejected',
  ...commands: object[]
): Promise<Told> {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-room-'));
  const tree = await makeTree({ 'a.txt': 'a\n' });
  undo.push(() => [folder, tree].map((path) => rmSync(path, { recursive: true, force: true })));
  const asked: string[] = [];
  const model = new ScriptedModel([
    ...commands.map((command) => calls('bash', { description: 'test', ...command })),
    says('done'),
  ]);
  const plugins = [answerer(answer, asked)];
  const room = await openTestRoom({ folder, tree, session: 'gh-1-9-1', model, options, parts: { plugins } });
  undo.push(() => room.close());
  room.handle.agent.send([{ type: 'text', text: 'go' }]);
  await room.handle.agent.whenIdle();
  const bash = room.ctx.tools.get('bash')!;
  const results = room.handle.agent.session.events.flatMap(({ type, data }) =>
    type === 'tool/result' ? [JSON.stringify(data)] : [],
  );
  const { properties } = bash.parameters as { properties: object };
  return { asked, results, fields: Object.keys(properties), description: bash.description, tree };
}

const WISH = { justification: 'the registry moved' };
const open = { command: 'env | grep -c HTTPS_PROXY; touch made', network: 'full', ...WISH };
const root = { command: 'id -u; touch made', sandbox_permissions: 'danger-full-access', ...WISH };

describe('sandbox', () => {
  it('N12 N8 in a trusted job a person can open the network or the sandbox for one call', async () => {
    const { asked, results, fields, description } = await turn({}, 'allowed-once', open, root, {
      command: 'env | grep -c HTTPS_PROXY; id -u',
    });

    expect(fields).toEqual(expect.arrayContaining(['network', 'sandbox_permissions', 'justification']));
    expect(description).toContain('`network` opens more for one call');
    expect(asked).toEqual([
      'open network full: the registry moved',
      'escalate sandbox to danger-full-access: the registry moved',
    ]);
    expect([results[0], results[1]]).toEqual([expect.stringContaining('"1"'), expect.stringContaining('"0"')]);
    expect(results[2]).toMatch(/"0\\n\d\d+\D/);
  }, 90_000);

  it('N12 N8 what a person refuses does not run', async () => {
    const { asked, results, tree } = await turn({}, 'rejected', open, root);

    expect(asked).toHaveLength(2);
    expect(results.map((result) => /refused/.test(result))).toEqual([true, true]);
    expect(existsSync(join(tree, 'made'))).toBe(false);
  }, 60_000);

  it('B12 B17 a child agent asks nobody, has nothing wider, and is not told to ask', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dsh-room-'));
    const tree = await makeTree({ 'a.txt': 'a\n' });
    undo.push(() => [folder, tree].map((path) => rmSync(path, { recursive: true, force: true })));
    const asked: string[] = [];
    const wishes = [open, root, { ...root, sandbox_permissions: 'workspace-write' }, { command: 'touch made' }];
    const model = new ScriptedModel([
      calls('subagent', { description: 'look', prompt: 'Look around.' }),
      ...wishes.map((wish) => calls('bash', { description: 'test', ...wish })),
      says('seen'),
      says('done'),
    ]);
    const config = { ...DEFAULT_CONFIG, subagents: true };
    const parts = { plugins: [answerer('allowed-once', asked)] };
    const room = await openTestRoom({ folder, tree, session: 'gh-1-9-1', model, options: { config }, parts });
    undo.push(() => room.close());
    const results: string[] = [];
    room.ctx.on('tools/post-execute', async ({ name }, { content }, next) => {
      if (name === 'bash') results.push(JSON.stringify(content));
      return next();
    });

    room.handle.agent.send([{ type: 'text', text: 'go' }]);
    await room.handle.agent.whenIdle();

    expect(asked).toEqual([]);
    expect(results.map((result) => /the policy refused/.test(result))).toEqual([true, true, true, false]);
    expect(results[3]).toContain('file access denied under read-only mode');
    expect(results[3]).not.toContain('sandbox_permissions');
    expect(existsSync(join(tree, 'made'))).toBe(false);
  }, 60_000);

  it('N12 the operator’s bound is not asked about', async () => {
    const config = { ...DEFAULT_CONFIG, networkBound: 'allow-list' as const };

    const { asked, results } = await turn({ config }, 'allowed-once', open);

    expect(asked).toEqual([]);
    expect(results[0]).toContain('beyond what the operator allows (allow-list)');
  }, 60_000);

  it.each<[string, Partial<RoomOptions>]>([
    ['in the untrusted profile', { profile: 'untrusted', approvalPolicy: 'never' }],
    ['where nobody is asked', { approvalPolicy: 'never' }],
    ['in a review', { kind: 'review', mode: 'read-only' }],
  ])(
    'N8 B15 N12 nothing wider is shown, asked for or had %s',
    async (_where, options) => {
      const { asked, results, fields, description, tree } = await turn(options, 'allowed-once', open, root);

      expect(fields.filter((name) => ['network', 'sandbox_permissions', 'justification'].includes(name))).toEqual([]);
      expect(description).not.toContain('`network`');
      expect(asked).toEqual([]);
      expect(results.map((result) => /not available here/.test(result))).toEqual([true, true]);
      expect(existsSync(join(tree, 'made'))).toBe(false);
    },
    60_000,
  );
});
