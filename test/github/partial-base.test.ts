import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readBaseFile, readInstructions, readManifests } from '../../src/bot/context/read-base-files.ts';
import { openCheckout } from '../../src/github/git/checkout.ts';
import { fetchSubmodules } from '../../src/github/git/submodules.ts';
import { readRepository } from '../../src/github/repository.ts';
import { DemoGitHub, REPO } from './support/demo-github.ts';

let demo: DemoGitHub;
beforeAll(async () => {
  const files = { 'AGENTS.md': 'Say less.\n', 'package.json': '{}\n', 'a.txt': 'a\n' };
  demo = await DemoGitHub.start({ private: true, files });
});
afterAll(() => demo.close());

async function openPartial(files: Parameters<DemoGitHub['server']['push']>[1]['files'], branch: string) {
  await demo.server.push('acme/shop', { by: 'maria', branch, files });
  const repository = await readRepository(demo.connect(), REPO);
  const settings = { dataDir: demo.dataDir, tokens: async () => demo.token(), fullBelowMb: 0 };
  const target = { kind: 'branch', branch, baseBranch: 'main' } as const;
  return openCheckout({ repository, target, session: branch, settings });
}

describe('bot-fix', () => {
  it('C1 C2 X6 of a partial mirror what the base says otherwise than the head is fetched, with credentials', async () => {
    const files = { 'AGENTS.md': 'Say more.\n', 'package.json': '{"name":"x"}\n', 'a.txt': 'b\n' };
    const { gitDir, mirror, baseSha: sha } = await openPartial(files, 'work');
    const base = { gitDir, sha, mirror };

    expect(await readInstructions(base)).toBe('# AGENTS.md\n\nSay less.');
    expect(await readManifests(base)).toEqual({ 'package.json': '{}\n' });
    expect(await readBaseFile(base, 'a.txt')).toBe('a\n');
  });

  it('C4 of a partial mirror a submodule that the base names is fetched where the head names more', async () => {
    await demo.server.addRepository({ owner: 'acme', name: 'lib', files: { 'lib.ts': 'lib\n' } });
    const sha = await demo.server.push('acme/lib', { by: 'acme', branch: 'main', files: { 'more.ts': 'm\n' } });
    const lib = '[submodule "lib"]\n\tpath = lib\n\turl = ../lib.git\n';
    const link = { mode: '160000', content: sha } as const;
    await demo.server.push('acme/shop', { by: 'acme', branch: 'main', files: { '.gitmodules': lib, lib: link } });
    const checkout = await openPartial({ '.gitmodules': `# More\n${lib}`, lib: link }, 'modules');

    expect(await fetchSubmodules(checkout, [], undefined, true)).toMatchObject([{ path: 'lib', state: 'fetched' }]);
  });
});
