import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import { mergeConfig } from '../../src/config/merge-config.ts';
import { HookSettings } from '../../src/config/hook-settings.ts';
import { readConfigFile } from '../../src/config/read-config-file.ts';
import { parseHookSettings } from '../../src/seams/hooks/parse-hook-settings.ts';
import { HOOK_POINTS } from '../../src/seams/hooks/types.ts';

const withHook = (hook: string, matcher = 'bash') =>
  `hooks:\n  claude:\n    PreToolUse:\n      - matcher: '${matcher}'\n        hooks: [${hook}]\n`;

describe('hooks', () => {
  it('H14 the operator configures hooks in the shape the bridge reads, for every point of both dialects', () => {
    const point = [{ matcher: 'bash|read', hooks: [{ type: 'command', command: './check', timeout: 60 }] }];
    const points = {
      claude: HOOK_POINTS,
      codex: HOOK_POINTS.filter((name) => !name.startsWith('Subagent')),
    };
    const eventsOf = (dialect: 'claude' | 'codex') => Object.fromEntries(points[dialect].map((name) => [name, point]));
    const { hooks } = mergeConfig(
      readConfigFile(JSON.stringify({ hooks: { claude: eventsOf('claude'), codex: eventsOf('codex') } }), 'dsh.yml'),
    );

    for (const dialect of ['claude', 'codex'] as const) {
      const warn = (message: string) => expect(message).toBeUndefined();
      const table = parseHookSettings(hooks?.[dialect], { dialect, warn });
      expect([...table.keys()]).toEqual(points[dialect]);
      expect([...table.values()].flat().map(({ timeoutSec }) => timeoutSec)).toEqual(points[dialect].map(() => 60));
    }
    expect(Object.keys(HookSettings.shape)).toEqual(['claude', 'codex']);
    expect(DEFAULT_CONFIG.hooks).toBeUndefined();
  });

  it.each([
    ['a hook of more than a minute', withHook('{ command: x, timeout: 61 }'), /timeout/],
    ['a hook that is no command', withHook('{ type: prompt, command: x }'), /type/],
    ['a blank command', withHook('{ command: " " }'), /command/],
    ['an unknown key', withHook('{ command: x, async: true }'), /async/],
    ['an unknown event', 'hooks: { claude: { PreCompact: [] } }', /PreCompact/],
    ['an unknown dialect', 'hooks: { cluade: {} }', /did you mean claude/],
  ])('H14 refuses %s in the operator file', (_what, yaml, message) => {
    expect(() => readConfigFile(yaml, 'dsh.yml')).toThrow(message);
  });

  it('H5 refuses a matcher that is no expression in the operator file, and takes the star', () => {
    expect(() => readConfigFile(withHook('{ command: x }', 'ba('), 'dsh.yml')).toThrow(/matcher.*regular expression/);
    expect(() => readConfigFile(withHook('{ command: x }', '*'), 'dsh.yml')).not.toThrow();
  });
});
