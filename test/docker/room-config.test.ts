import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { checkRepositoryConfig } from '../../src/config/check-repository-config.ts';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import { mergeConfig } from '../../src/config/merge-config.ts';
import { readConfigFile } from '../../src/config/read-config-file.ts';
import { CallId } from '../../src/harness/llm/types.ts';
import { ScriptedModel } from '../support/scripted-model.ts';
import { openTestRoom } from './support/open-test-room.ts';
import { makeTree } from './support/sandbox-bench.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** What a command prints, or why it did not run, in a session under this configuration. */
async function run(yaml: string, command: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-config-'));
  const tree = await makeTree();
  undo.push(() => [folder, tree].map((path) => rmSync(path, { recursive: true, force: true })));
  const options = { config: mergeConfig(readConfigFile(yaml, 'dsh.yml')) };
  const room = await openTestRoom({ folder, tree, session: 'gh-1-9-1', model: new ScriptedModel(), options });
  undo.push(() => room.close());
  const { agent } = room.handle;
  const call = { callId: CallId('1'), name: 'bash', arguments: { command, description: 'test' }, agent };
  const { content } = await room.ctx.tools.execute({ ...call, signal: new AbortController().signal });
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

describe('bash', () => {
  it('N7 commands find what the configuration names, but for secrets that are not meant and what runs code', async () => {
    const env = '{ NODE_ENV: test, API_KEY: one, DB_PASSWORD: two, BASH_ENV: /workspace/evil, DSH_HOME: /x }';

    const printed = await run(
      `sandbox: { env: ${env}, allowedEnv: [API_KEY] }`,
      'echo "$NODE_ENV,$API_KEY,$DB_PASSWORD,$BASH_ENV"; [ "$DSH_HOME" = /x ] || echo own',
    );

    expect(printed).toBe('test,one,,\nown');
  });

  it('N7 a repository may set variables, and not say which secrets of the operator are meant', () => {
    const set = readConfigFile('sandbox: { env: { NODE_ENV: test } }', 'dsh.yml');
    const allow = readConfigFile('sandbox: { allowedEnv: [API_KEY] }', 'dsh.yml');

    expect(() => checkRepositoryConfig(set, DEFAULT_CONFIG, [])).not.toThrow();
    expect(() => checkRepositoryConfig(allow, DEFAULT_CONFIG, [])).toThrow('sandbox.allowedEnv');
  });
});

describe('sandbox', () => {
  it('N1 takes the runtime that the configuration names, and refuses one that the engine does not have', async () => {
    expect(await run('sandbox: { runtime: runc }', 'echo ran')).toBe('ran');
    expect(await run('sandbox: { runtime: kata }', 'echo ran')).toMatch(/has no runtime kata; it has .*runc/);
  });

  it('N1 a repository does not choose the runtime', () => {
    const file = readConfigFile('sandbox: { runtime: runc }', 'dsh.yml');

    expect(() => checkRepositoryConfig(file, DEFAULT_CONFIG, [])).toThrow('sandbox.runtime');
  });
});
