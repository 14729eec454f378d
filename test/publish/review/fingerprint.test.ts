import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { codeLines, linesOfText, locate, markOf, markOfTitle } from '../../../src/publish/review/fingerprint.ts';
import { ledgerMarker, parseLedger, withoutLedger } from '../../../src/publish/review/ledger.ts';
import type { LedgerEntry } from '../../../src/publish/review/ledger.ts';
import { makeInert } from '../../../src/publish/markdown/inert.ts';

const code = (text: string) => codeLines(linesOfText(text));
const word = fc.stringMatching(/^[a-z]{6,9}$/);

describe('bot-review', () => {
  it('R6 code is recognised wherever it moves, however it is indented and spaced', () => {
    const parts = fc.tuple(
      fc.uniqueArray(word, { minLength: 3, maxLength: 8 }),
      fc.array(word, { maxLength: 9 }),
      fc.nat(4),
      fc.nat(3),
    );
    fc.assert(
      fc.property(parts, ([lines, above, indent, blanks]) => {
        fc.pre(above.every((line) => !lines.includes(line)));
        const mark = markOf('a.js', { startLine: 2, endLine: 3 }, code(lines.join('\n')))!;
        const moved = [
          ...above,
          ...lines.flatMap((line) => [`${' '.repeat(indent)}${line}\t`, ...Array<string>(blanks).fill('')]),
        ];

        const place = locate('a.js', mark, code(moved.join('\n')));

        expect(moved[place!.startLine - 1]!.trim()).toBe(lines[1]);
        expect(moved[place!.endLine - 1]!.trim()).toBe(lines[2]);
      }),
    );
  });

  it('R6 code that changed, or stands in another file, is not recognised', () => {
    const mark = markOf('a.js', { startLine: 1, endLine: 1 }, code('const price = 1;'))!;

    expect(locate('a.js', mark, code('const price = 2;'))).toBeUndefined();
    expect(locate('b.js', mark, code('const price = 1;'))).toBeUndefined();
  });

  it('R6 a brace alone is recognised by its neighbours', () => {
    const [first, second] = ['first();\n}\nafter();', 'second();\n}\nafter();'];
    const mark = markOf('a.js', { startLine: 2, endLine: 2 }, code(first))!;

    expect(locate('a.js', mark, code(`x\n${first}`))).toBeDefined();
    expect(locate('a.js', mark, code(second))).toBeUndefined();
  });

  it('R6 lines without code have no mark', () => {
    expect(markOf('a.js', { startLine: 2, endLine: 2 }, code('a\n\nb'))).toBeUndefined();
    expect(markOf('a.js', { startLine: 9, endLine: 9 }, code('a'))).toBeUndefined();
  });

  it('R6 what has no code is recognised by its path and title, whatever lines the title names', () => {
    const mark = markOfTitle('a.js', 'No test covers line 12');

    expect(markOfTitle('a.js', 'no test covers  line 19!')).toEqual(mark);
    expect(markOfTitle('b.js', 'No test covers line 12')).not.toEqual(mark);
    expect(markOfTitle('a.js', 'No test covers the sum')).not.toEqual(mark);
    expect(locate('a.js', mark, code('No test covers line 12'))).toBeUndefined();
  });
});

const entry = (more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...{ id: 'i', fingerprint: 'f', span: 1, path: 'a.js', side: 'RIGHT', line: 1, severity: 'major', title: 't' },
  ...{ state: 'open', inline: true, since: 'a'.repeat(40) },
  ...more,
});

describe('bot-review', () => {
  it('R6 a ledger survives the body of a review, whatever titles and paths hold', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string())), (texts) => {
        const entries = texts.map(([path, title]) => entry({ path, title }));
        const marker = ledgerMarker(entries);

        expect(parseLedger(`said\n${marker}\nmore`)).toEqual(JSON.parse(JSON.stringify(entries)));
        expect(marker.slice(4, -3)).not.toMatch(/[<>]|--(?!$)/);
        expect(withoutLedger(`said\n${marker}\nmore`)).toBe('said\n\nmore');
      }),
    );
  });

  it('R6 what finds no room is forgotten, settled findings first', () => {
    const entries = Array.from({ length: 3_000 }, (_, at) => {
      const fingerprint = createHash('sha256').update(String(at)).digest('hex').slice(0, 16);
      return entry({
        id: fingerprint,
        fingerprint,
        state: at < 2_950 ? 'fixed' : 'open',
        title: `Title ${fingerprint}`,
      });
    });

    const kept = parseLedger(ledgerMarker(entries))!;

    expect(kept.length).toBeLessThan(3_000);
    expect(kept.length).toBeGreaterThan(250);
    expect(kept.filter(({ state }) => state === 'open')).toHaveLength(50);
  });

  it('R6 a ledger that a verdict pretends to hold is none', () => {
    expect(parseLedger(makeInert(ledgerMarker([entry()])))).toBeUndefined();
    const shown = `\`\`\`\n${ledgerMarker([entry({ state: 'dismissed' })])}\n\`\`\``;
    expect(parseLedger(`${makeInert(shown)}\n\n${ledgerMarker([entry()])}\r\nEdited.`)).toMatchObject([
      { state: 'open' },
    ]);
    expect(parseLedger('<!-- dsh:ledger [{"id": 1}] -->')).toBeUndefined();
    expect(parseLedger('<!-- dsh:ledger [oops] -->')).toBeUndefined();
    expect(parseLedger('<!-- dsh:ledger b29wcw== -->')).toBeUndefined();
  });
});
