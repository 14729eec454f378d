import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { submoduleSource } from '../../src/github/git/submodule-source.ts';
import { fetchSubmodules } from '../../src/github/git/submodules.ts';
import { readTreeChanges } from '../../src/github/tree/tree-changes.ts';
import { Redactor } from '../../src/publish/redact.ts';
import { openAccess } from '../../src/repository-access.ts';
import { DemoGitHub, REPO } from './support/demo-github.ts';

let demo: DemoGitHub;
beforeEach(async () => {
  demo = await DemoGitHub.start();
});
afterEach(() => demo.close());

/** A repository whose head becomes a submodule of `acme/shop`. */
async function addLibrary(owner: string, name: string): Promise<string> {
  await demo.server.addRepository({ owner, name, files: { 'lib.ts': `${owner}\n` } });
  return await demo.server.push(`${owner}/${name}`, { by: owner, branch: 'main', files: { 'more.ts': 'm\n' } });
}

function gitmodules(modules: Record<string, string>): string {
  const entries = Object.entries(modules);
  return entries.map(([path, url]) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`).join('');
}

async function openWith(modules: Record<string, { url: string; sha: string }>) {
  const links = Object.entries(modules).map(([path, { sha }]) => [path, { mode: '160000', content: sha }] as const);
  const urls = Object.fromEntries(Object.entries(modules).map(([path, { url }]) => [path, url]));
  const files = { '.gitmodules': gitmodules(urls), ...Object.fromEntries(links) };
  await demo.server.push('acme/shop', { by: 'acme', branch: 'main', files });
  return await demo.open();
}

describe('bot-fix', () => {
  it('C4 fetches submodules of the same owner and no others', async () => {
    const [own, foreign] = [await addLibrary('acme', 'lib'), await addLibrary('eve', 'evil')];
    const checkout = await openWith({
      'vendor/lib': { url: '../lib.git', sha: own },
      'vendor/evil': { url: `${demo.server.url}/eve/evil.git`, sha: foreign },
    });
    const sent = demo.record();

    const states = await fetchSubmodules(checkout);

    expect(states.map(({ path, state }) => [path, state])).toEqual([
      ['vendor/evil', 'refused'],
      ['vendor/lib', 'fetched'],
    ]);
    expect(readFileSync(join(checkout.workTree, 'vendor/lib/lib.ts'), 'utf8')).toBe('acme\n');
    expect(readdirSync(join(checkout.workTree, 'vendor/lib')).sort()).toEqual(['lib.ts', 'more.ts']);
    expect(readdirSync(join(checkout.workTree, 'vendor/evil'))).toEqual([]);
    expect(sent().join('\n')).not.toContain('eve');
    expect((await readTreeChanges(checkout)).changes).toEqual([]);
  });

  it('C4 submodules of submodules stay empty, and what is written into them is no change', async () => {
    const inner = await addLibrary('acme', 'inner');
    await demo.server.addRepository({
      ...{ owner: 'acme', name: 'outer' },
      files: { '.gitmodules': gitmodules({ deep: '../inner.git' }), deep: { mode: '160000', content: inner } },
    });
    const outer = demo.server.state.findRepository('acme/outer')!;
    const sha = (await demo.server.state.git(outer).text(['rev-parse', 'main'])).trim();
    const checkout = await openWith({ lib: { url: '../outer.git', sha } });

    expect(await fetchSubmodules(checkout)).toMatchObject([{ path: 'lib', state: 'fetched' }]);

    expect(readdirSync(join(checkout.workTree, 'lib/deep'))).toEqual([]);
    writeFileSync(join(checkout.workTree, 'lib/deep/planted.txt'), 'x');
    expect((await readTreeChanges(checkout)).changes).toEqual([]);
  });

  it('C4 X9 a private repository of the owner is not read into the tree: no head can name it as a submodule and have it', async () => {
    await demo.server.addRepository({ owner: 'acme', name: 'secret', private: true, files: { key: 'k\n' } });
    const secret = demo.server.state.findRepository('acme/secret')!;
    const sha = (await demo.server.state.git(secret).text(['rev-parse', 'main'])).trim();
    const opened = await openWith({ lib: { url: '../secret.git', sha } });
    const { app, state, apiUrl } = demo.server;
    const installationId = state.installations.find(({ account }) => account.login === 'acme')!.id;
    const auth = { appId: app.id, privateKey: app.privateKey, installationId };
    const { token: tokens } = openAccess({
      auth: { ...auth, repositoryIds: [state.findRepository('acme/shop')!.id] },
      ...{ apiUrl, userAgent: 'test', self: {}, ownLogin: app.botLogin, repo: REPO, redactor: new Redactor() },
    }).narrowedTo!('fix');
    const settings = { ...opened.mirror.settings, tokens };

    expect(await fetchSubmodules({ ...opened, mirror: { ...opened.mirror, settings } })).toMatchObject([
      { state: 'failed' },
    ]);
    expect(readdirSync(join(opened.workTree, 'lib'))).toEqual([]);
  });

  it('C4 X4 of a head that nobody vouches for only submodules are fetched that its base names, at whatever commit', async () => {
    const [lib, other] = [await addLibrary('acme', 'lib'), await addLibrary('acme', 'other')];
    const base = await openWith({ lib: { url: '../lib.git', sha: lib } });
    const files = { '.gitmodules': gitmodules({ lib: '../lib.git', more: '../other.git', moved: '../lib.git' }) };
    const link = (sha: string) => ({ mode: '160000', content: sha }) as const;
    await demo.server.push('acme/shop', {
      ...{ by: 'acme', branch: 'topic', from: 'main' },
      files: { ...files, more: link(other), moved: link(lib) },
    });
    const head = await demo.open({ kind: 'branch', branch: 'topic', baseBranch: 'main' }, 's2');
    expect(head.baseSha).toBe(base.headSha);
    const states = async (asInBase: boolean) =>
      (await fetchSubmodules(head, [], undefined, asInBase)).map(({ path, state }) => [path, state]);

    expect(await states(true)).toEqual([
      ['lib', 'fetched'],
      ['more', 'refused'],
      ['moved', 'fetched'],
    ]);
    expect(readdirSync(join(head.workTree, 'more'))).toEqual([]);
    expect((await states(false))[1]).toEqual(['more', 'fetched']);
  });

  it('C4 fetches submodules of owners the configuration lists', async () => {
    const sha = await addLibrary('eve', 'good');
    const checkout = await openWith({ good: { url: `${demo.server.url}/eve/good`, sha } });

    expect(await fetchSubmodules(checkout, ['Eve'])).toMatchObject([{ path: 'good', sha, state: 'fetched' }]);
  });

  it('C4 goes on without a submodule that cannot be read', async () => {
    const sha = await addLibrary('acme', 'lib');
    const checkout = await openWith({
      gone: { url: '../nowhere.git', sha },
      lost: { url: '../lib.git', sha: 'b'.repeat(40) },
    });

    expect((await fetchSubmodules(checkout)).map(({ state }) => state)).toEqual(['failed', 'failed']);
  });

  test.each([
    ['https://github.com/acme/lib.git', 'https://github.com/acme/lib.git'],
    ['https://github.com/ACME/lib', 'https://github.com/ACME/lib'],
    ['../lib.git', 'https://github.com/acme/lib.git'],
    ['../../acme/lib', 'https://github.com/acme/lib'],
    ['git@github.com:acme/lib.git', 'https://github.com/acme/lib.git'],
    ['ssh://git@github.com/acme/lib.git', 'https://github.com/acme/lib.git'],
    ['../../eve/lib', undefined],
    ['https://github.com/eve/lib', undefined],
    ['https://evil.example/acme/lib', undefined],
    ['https://github.com.evil.example/acme/lib', undefined],
    ['http://github.com/acme/lib', undefined],
    ['https://user:pass@github.com/acme/lib', undefined],
    ['git@evil.example:acme/lib.git', undefined],
    ['file:///etc', undefined],
    ['/etc', undefined],
    ['./inside', undefined],
    ['ext::sh -c evil', undefined],
    ['--upload-pack=evil', undefined],
    ['https://github.com/acme', undefined],
  ])('C4 resolves the submodule URL %s to %s', (url, expected) => {
    const parent = { owner: 'acme', cloneUrl: 'https://github.com/acme/shop.git' };

    expect(submoduleSource(url, parent)?.cloneUrl).toBe(expected);
  });
});
