import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { removeFolder } from '../src/remove-folder.ts';
import { makeDeepFolder } from './support/make-deep-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'dsh-remove-'));
afterAll(() => rm(root, { recursive: true }));

describe('bot-security', () => {
  it('X10 a tree can be removed however deep commands have nested it, and nothing behind its links goes', async () => {
    const [tree, outside] = [join(root, 'deep'), join(root, 'outside')];
    for (const folder of [tree, outside]) mkdirSync(folder);
    writeFileSync(join(outside, 'kept.txt'), '');
    symlinkSync(outside, join(tree, 'link'));
    makeDeepFolder(tree);
    await expect(rm(tree, { recursive: true })).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    if (!existsSync(join(tree, 'link'))) symlinkSync(outside, join(tree, 'link'));

    await removeFolder(tree);
    await removeFolder(tree);

    expect([existsSync(tree), readdirSync(outside)]).toEqual([false, ['kept.txt']]);
  });

  it('X10 and whatever of it they have locked', () => {
    const tree = join(root, 'locked');
    mkdirSync(join(tree, 'a/b'), { recursive: true });
    writeFileSync(join(tree, 'a/b/file'), '');
    const url = new URL('../src/remove-folder.ts', import.meta.url).href;
    // For root nothing is locked. The module is read before, since others may not enter where it lies.
    const isRoot = process.getuid?.() === 0;
    const script = `import(${JSON.stringify(url)}).then(async ({ removeFolder }) => {
      const { chmodSync } = require('node:fs');
      if (${isRoot}) { process.setgroups([]); process.setgid(1234); process.setuid(1234); }
      chmodSync(${JSON.stringify(join(tree, 'a/b'))}, 0); chmodSync(${JSON.stringify(join(tree, 'a'))}, 0o500);
      await removeFolder(${JSON.stringify(tree)});
    });`;
    if (isRoot) execFileSync('chown', ['-R', '1234:1234', tree]);
    if (isRoot) chmodSync(root, 0o777);

    execFileSync(process.execPath, ['-e', script]);

    expect(existsSync(tree)).toBe(false);
  });
});
