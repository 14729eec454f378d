import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readBlobs } from '../../src/github/git/read-blobs.ts';
import { GitFixture } from './support/git-fixture.ts';

let fixture: GitFixture;
let sha: string;
beforeAll(() => {
  fixture = new GitFixture();
  const binary = Buffer.from([0, 10, 255, 10, 10]);
  sha = fixture.commit({ 'a b.txt': 'one\ntwo\n', empty: '', 'folder/x': 'x', binary, link: { link: 'a b.txt' } });
});
afterAll(() => fixture.close());

const read = async (...paths: string[]) => {
  const names = paths.map((path) => `${sha}:${path}`);
  const blobs = await readBlobs(names, { gitDir: join(fixture.origin, '.git') });
  return blobs.map((bytes) => bytes?.toString('latin1'));
};

describe('bot-fix', () => {
  it('reads many files of a commit at once, each as its bytes', async () => {
    expect(await read('a b.txt', 'empty', 'binary', 'folder/x')).toEqual(['one\ntwo\n', '', '\u0000\n\u00ff\n\n', 'x']);
  });

  it('what is not there, a folder and a commit that is none leave those after them as they are', async () => {
    expect(await read('nothing', 'folder', 'a b.txt', 'link')).toEqual([undefined, undefined, 'one\ntwo\n', 'a b.txt']);
    const gone = await readBlobs(['0000000000000000000000000000000000000001:x', `${sha}:empty`], {
      gitDir: join(fixture.origin, '.git'),
    });
    expect(gone.map((bytes) => bytes?.length)).toEqual([undefined, 0]);
  });

  it('nothing asked for is nothing read', async () => {
    expect(await read()).toEqual([]);
  });
});
