import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { claudeHooks } from '../../../src/seams/hooks/claude-hooks.ts';
import { codexHooks } from '../../../src/seams/hooks/codex-hooks.ts';
import { compileMatcher } from '../../../src/seams/hooks/compile-matcher.ts';
import { parseHookSettings } from '../../../src/seams/hooks/parse-hook-settings.ts';
import { says } from '../../support/scripted-model.ts';
import { bench } from '../../harness/agent/agent-bench.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import { codeOf } from '../../harness/session/session-fixture.ts';
import { group, hookBench } from './hook-bench.ts';

const TOOLS = ['bash', 'bash_output', 'read', 'Edit', 'mcp__a__b'];
const matched = (pattern: string | undefined, mode: 'claude' | 'codex') => TOOLS.filter(compileMatcher(pattern, mode));

function parse(settings: unknown, dialect: 'claude' | 'codex' = 'claude', variables = {}) {
  const warnings: string[] = [];
  const table = parseHookSettings(settings, { dialect, variables, warn: (message) => warnings.push(message) });
  const commands = [...table].flatMap(([point, hooks]) => hooks.map(({ command }) => `${point} ${command}`));
  return { table, warnings, commands };
}

async function mountFails(config: object): Promise<unknown> {
  const b = await bench();
  b.ctx.provide('bash', new MemoryBash());
  return Promise.resolve(b.ctx.plugin(claudeHooks, config as never)).then(
    () => undefined,
    (error: { code: string }) => error.code,
  );
}

describe('hooks', () => {
  it.each([undefined, '', '*'])('H5 the matcher %j means everything, in both dialects', (pattern) => {
    expect(matched(pattern, 'claude')).toEqual(TOOLS);
    expect(matched(pattern, 'codex')).toEqual(TOOLS);
  });

  it.each([
    ['bash', ['bash'], ['bash', 'bash_output']],
    ['read|Edit', ['read', 'Edit'], ['read', 'Edit']],
    ['mcp__a', [], ['mcp__a__b']],
    ['bas.', ['bash', 'bash_output'], ['bash', 'bash_output']],
    ['^bash$', ['bash'], ['bash']],
    ['mcp__.*__b', ['mcp__a__b'], ['mcp__a__b']],
  ])(
    'H5 %s: exact names for Claude where it is only names, a regular expression anywhere else',
    (pattern, claude, codex) => {
      expect(matched(pattern, 'claude')).toEqual(claude);
      expect(matched(pattern, 'codex')).toEqual(codex);
    },
  );

  it('H5 an expression that is none fails the load and is named', async () => {
    expect(codeOf(() => compileMatcher('(', 'codex'))).toBe('HOOK_MATCHER_INVALID');
    expect(() => compileMatcher('ba(', 'claude')).toThrow('"ba("');
    expect(await mountFails({ settings: { PreToolUse: [group('(', 'x')] } })).toBe('HOOK_MATCHER_INVALID');
  });

  it('H14 a settings file with a hooks key and a bare event map give the same hooks', () => {
    const events = { Stop: [group(undefined, 'a')], PreToolUse: [group('bash', 'b', 'c')] };

    expect(parse({ model: 'x', hooks: events }).commands).toEqual(['Stop a', 'PreToolUse b', 'PreToolUse c']);
    expect(parse(events)).toMatchObject({ commands: ['Stop a', 'PreToolUse b', 'PreToolUse c'], warnings: [] });
  });

  it('H14 malformed entries are skipped and named, and the hooks around them stay', () => {
    const hooks = [
      { type: 'command', command: 'good' },
      { type: 'command' },
      { command: 'slow', timeout: -1 },
      { type: 'prompt', prompt: 'judge this' },
      'x',
      { command: 'untyped', timeout: 5 },
    ];
    const { commands, warnings, table } = parse({
      PreToolUse: [{ matcher: 'bash', hooks }, { matcher: 5, hooks: [] }, { matcher: 'read' }],
      PostToolUse: 'x',
      PreCompact: [group(undefined, 'y')],
    });

    expect(commands).toEqual(['PreToolUse good', 'PreToolUse untyped']);
    expect(table.get('PreToolUse')![1]!.timeoutSec).toBe(5);
    const named = [
      'PreToolUse/0/1',
      'PreToolUse/0/2',
      'PreToolUse/0/3',
      'PreToolUse/0/4',
      'PreToolUse/1',
      'PreToolUse/2',
    ];
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual([...named, 'PostToolUse', 'PreCompact']);
  });

  it('H14 asynchronous hooks are skipped with a warning in the Codex dialect only', () => {
    const settings = {
      Stop: [
        {
          hooks: [
            { command: 'a', async: true },
            { command: 'b', async: false },
          ],
        },
      ],
    };

    expect(parse(settings, 'codex')).toMatchObject({
      commands: ['Stop b'],
      warnings: [expect.stringContaining('Stop/0/0')],
    });
    expect(parse(settings, 'claude')).toMatchObject({ commands: ['Stop a', 'Stop b'], warnings: [] });
  });

  it.each([null, 5, 'x', []])('H14 settings that are %j register nothing and say so', (settings) => {
    expect(parse(settings)).toMatchObject({ commands: [], warnings: [expect.stringContaining('no map of events')] });
  });

  it.each([
    ['is not there', undefined],
    ['is no JSON', '{"hooks":'],
  ])('H14 a file that %s warns and registers nothing; the agent works on', async (_what, content) => {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-hooks-'));
    try {
      const configPath = join(folder, 'settings.json');
      if (content !== undefined) await writeFile(configPath, content);
      const b = await bench([says('done')]);
      const bash = new MemoryBash();
      b.ctx.provide('bash', bash);
      await b.ctx.plugin(codexHooks, { configPath });
      const { agent } = await b.create();
      agent.send([{ type: 'text', text: 'hi' }]);
      await agent.whenIdle();

      expect(b.errors).toEqual([expect.objectContaining({ message: expect.stringContaining(configPath) })]);
      expect(bash.specs).toEqual([]);
      expect(b.model.requests).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('H14 a file is read once, at load', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-hooks-'));
    const configPath = join(folder, 'settings.json');
    await writeFile(configPath, JSON.stringify({ hooks: { UserPromptSubmit: [group(undefined, 'first')] } }));
    const b = await bench([says('one'), says('two')]);
    const bash = new MemoryBash({ first: {} });
    b.ctx.provide('bash', bash);
    await b.ctx.plugin(claudeHooks, { configPath });
    await rm(folder, { recursive: true });
    const { agent } = await b.create();
    agent.send([{ type: 'text', text: 'hi' }]);
    agent.send([{ type: 'text', text: 'again' }]);
    await agent.whenIdle();

    expect(bash.specs.map(({ command }) => command)).toEqual(['first', 'first']);
  });

  it.each([0, -1, Number.NaN, Infinity])(
    'H14 a summary cap of %d fails the load, before the file is even read',
    async (cap) => {
      expect(await mountFails({ configPath: '/nowhere', stderrSummaryMaxChars: cap })).toBe('HOOK_CONFIG_INVALID');
      expect(await mountFails({ settings: { Stop: [group('(', 'x')] }, defaultTimeoutMs: cap })).toBe(
        'HOOK_CONFIG_INVALID',
      );
    },
  );

  it('H10 ${CLAUDE_PLUGIN_ROOT} and ${CLAUDE_PROJECT_DIR} are filled in at load as far as they are known', async () => {
    const command = '${CLAUDE_PLUGIN_ROOT}/run ${CLAUDE_PROJECT_DIR} ${HOME} ${constructor} $CLAUDE_PLUGIN_ROOT';
    const settings = { UserPromptSubmit: [group(undefined, command)] };
    const known = await hookBench(settings, {}, [says('ok')], { config: { pluginRoot: '/plug', projectDir: '/proj' } });
    const unknown = await hookBench(settings, {}, [says('ok')]);
    await known.say('hi');
    await unknown.say('hi');

    expect(known.bash.specs[0]).toMatchObject({
      command: '/plug/run /proj ${HOME} ${constructor} $CLAUDE_PLUGIN_ROOT',
      env: { CLAUDE_PROJECT_DIR: '/proj', CLAUDE_PLUGIN_ROOT: '/plug' },
    });
    expect(unknown.bash.specs[0]).toMatchObject({ command, env: { CLAUDE_PROJECT_DIR: '/repo' } });
    expect(unknown.bash.specs[0]!.env).not.toHaveProperty('CLAUDE_PLUGIN_ROOT');
  });
});
