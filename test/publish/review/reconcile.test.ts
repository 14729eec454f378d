import { describe, expect, it } from '@jest/globals';
import { codeLines, linesOfText, markOf } from '../../../src/publish/review/fingerprint.ts';
import type { KeyedFinding } from '../../../src/publish/review/key-findings.ts';
import type { LedgerEntry } from '../../../src/publish/review/ledger.ts';
import { reconcile } from '../../../src/publish/review/reconcile.ts';
import { found } from '../support/one-pull.ts';

const code = (text: string) => codeLines(linesOfText(text));
const HEAD = code('const a = 1;\nconst second = 2 / 0;\n');

function entry(text: string, title: string): LedgerEntry {
  const mark = markOf('a.js', { startLine: 1, endLine: 1 }, code(text))!;
  const told = { path: 'a.js', side: 'RIGHT', line: 1, severity: 'major', title } as const;
  return { id: mark.fingerprint, ...mark, ...told, state: 'open', inline: true, since: 'a'.repeat(40) };
}
function keyed(line: number, title: string): KeyedFinding {
  const finding = found({ path: 'a.js', startLine: line, endLine: line, title });
  return { finding, mark: markOf('a.js', finding, HEAD)! };
}

describe('bot-review', () => {
  it('R6 what is told at its own code is matched first: a title like it takes no other’s finding', () => {
    const gone = entry('const first = 1 / 0;', 'The first value is infinite here');
    const stays = entry('const second = 2 / 0;', 'The second value is infinite here');
    const facts = { headSha: 'b'.repeat(40), read: () => HEAD, nameOf: (path: string) => path, threadOf: undefined };

    const standing = reconcile(
      { reviewedHead: 'a'.repeat(40), entries: [gone, stays] },
      [keyed(2, 'The second value is infinite here')],
      facts,
    );

    expect(standing.fixed).toEqual([gone.id]);
    expect(standing.fresh).toEqual([]);
    expect(standing.entries.map(({ id, state }) => [id, state])).toEqual([
      [gone.id, 'fixed'],
      [stays.id, 'open'],
    ]);
  });
});
