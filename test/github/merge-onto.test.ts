import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mergeOnto } from '../../src/github/tree/merge-onto.ts';
import { stageChanges } from '../../src/github/tree/stage-changes.ts';
import { readTreeChanges } from '../../src/github/tree/tree-changes.ts';
import { GitFixture, writeFiles, type Content } from './support/git-fixture.ts';

const LINES = 'one\ntwo\nthree\nfour\nfive\n';

let fixture: GitFixture;
beforeEach(() => {
  fixture = new GitFixture();
});
afterEach(() => fixture.close());

/** Our work on `LINES`, and what somebody pushed meanwhile. */
async function bothChange(ours: Record<string, Content>, theirs: Record<string, Content>) {
  fixture.commit({ 'a.txt': LINES, 'x.bin': new Uint8Array([0, 1]) });
  const checkout = await fixture.open();
  writeFiles(checkout.workTree, ours);
  const staged = await stageChanges(checkout, (await readTreeChanges(checkout)).changes);
  const newHead = fixture.commit(theirs);
  return { newHead, merging: mergeOnto(checkout, staged, newHead) };
}

describe('bot-fix', () => {
  it('U3 merges our work onto a base that moved, and stages it there', async () => {
    const { merging, newHead } = await bothChange(
      { 'a.txt': LINES.replace('one', 'ONE'), 'tool.sh': { script: '#!/bin/sh\n' }, 'x.bin': undefined },
      { 'a.txt': LINES.replace('five', 'FIVE'), 'new.txt': 'theirs\n' },
    );

    const result = await merging;

    expect(result).toMatchObject({ kind: 'merged', staged: { parentSha: newHead } });
    const { changes } = (result as Extract<typeof result, { kind: 'merged' }>).staged;
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'modified a.txt',
      'added tool.sh',
      'deleted x.bin',
    ]);
    expect(changes[0]).toMatchObject({ bytes: Buffer.from('ONE\ntwo\nthree\nfour\nFIVE\n') });
    expect(changes[1]).toMatchObject({ mode: '100755' });
  });

  it('U3 names the files that do not merge', async () => {
    const { merging } = await bothChange(
      { 'a.txt': LINES.replace('two', 'ours'), 'mine.txt': 'm\n' },
      { 'a.txt': LINES.replace('two', 'theirs') },
    );

    expect(await merging).toMatchObject({ kind: 'conflict', paths: ['a.txt'] });
  });

  it('U3 says when the head to merge onto is gone', async () => {
    fixture.commit({ 'a.txt': LINES });
    const checkout = await fixture.open();
    const staged = await stageChanges(checkout, []);

    await expect(mergeOnto(checkout, staged, 'b'.repeat(40))).rejects.toMatchObject({ code: 'COMMIT_MISSING' });
  });
});
