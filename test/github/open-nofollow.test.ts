import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { childOf, closeFolder, listFolder, openFolder, withFile } from '../../src/github/tree/open-nofollow.ts';
import { writeFiles } from './support/git-fixture.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dsh-open-'));
  writeFiles(root, { 'tree/dir/a.txt': 'ours', 'outside/a.txt': 'secret' });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string) => Buffer.from(join(root, path));
const read = (path: Buffer) => withFile(path, (file) => file.read().toString());

describe('bot-fix', () => {
  it('C4 opens neither a folder nor a file through a link put in its place', () => {
    symlinkSync(join(root, 'outside'), join(root, 'tree/link'));
    symlinkSync(join(root, 'outside/a.txt'), join(root, 'tree/file'));

    expect(openFolder(at('tree/link'))).toBeUndefined();
    expect(read(at('tree/file'))).toBeUndefined();
    expect(read(at('tree/dir/a.txt'))).toBe('ours');
  });

  it('C4 goes on in the folder it opened when a link takes that folder’s place', () => {
    const folder = openFolder(at('tree/dir'))!;
    renameSync(join(root, 'tree/dir'), join(root, 'tree/moved'));
    symlinkSync(join(root, 'outside'), join(root, 'tree/dir'));

    const names = listFolder(folder).map(({ name }) => name.toString());
    const content = read(childOf(folder, Buffer.from('a.txt')));
    closeFolder(folder);

    expect(names).toEqual(['a.txt']);
    expect(content).toBe('ours');
  });

  it('C4 does not wait on a pipe put in a file’s place', () => {
    execFileSync('mkfifo', [join(root, 'tree/pipe')]);

    expect(read(at('tree/pipe'))).toBeUndefined();
  });
});
