import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findPackageRoot } from '../../src/cli/package-root.ts';

const ROOT = findPackageRoot();
const HEAVY = ['openai', 'dockerode', 'probot', '@octokit/rest', '@octokit/auth-app', 'pg', 'pg-boss', 'yaml'];

/** What a file cannot start without: its own imports and those of what it imports, but for types and what is imported late. */
async function importsOf(file: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(file)) return found;
  found.add(file);
  const text = await readFile(join(ROOT, file), 'utf8');
  for (const [, name] of text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm)) {
    if (name!.startsWith('.')) await importsOf(join(dirname(file), name!), found);
    else found.add(name!);
  }
  return found;
}

describe('bot-hosts', () => {
  it.each(['src/cli.ts', 'src/cli/program/run-program.ts', 'src/action.ts', 'src/cli/open-host.ts'])(
    '%s starts without what only some commands and events need',
    async (file) => {
      const found = await importsOf(file);

      expect(found.size).toBeGreaterThan(2);
      expect(HEAVY.filter((name) => found.has(name))).toEqual([]);
    },
  );

  it('such an import would be found', async () => {
    expect(await importsOf('src/create-bot.ts')).toContain('dockerode');
  });
});
