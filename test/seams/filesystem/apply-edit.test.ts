import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyEdit, toLf } from '../../../src/seams/filesystem/apply-edit.ts';
import { diffHunks } from '../../../src/seams/filesystem/diff-hunks.ts';
import { keepLineEndings } from '../../../src/seams/filesystem/keep-line-endings.ts';
import { readWindow } from '../../../src/seams/filesystem/read-window.ts';

const edit = (raw: string, oldString: string, newString: string, replaceAll = false) =>
  applyEdit(raw, { oldString, newString, replaceAll }).text;

describe('filesystem', () => {
  it.each([
    ['CRLF file, LF request', 'a\r\nb\r\nc\r\n', 'a\nb', 'a\nB', 'a\r\nB\r\nc\r\n'],
    ['lines added to a CRLF file', 'a\r\nb\r\n', 'a\n', 'a\nx\ny\n', 'a\r\nx\r\ny\r\nb\r\n'],
    ['lines added to an LF place of a mixed file', 'a\r\nb\nc\r\n', 'b\n', 'b\nx\n', 'a\r\nb\nx\nc\r\n'],
    ['last line without an ending', 'a\r\nb', 'b', 'b\nc', 'a\r\nb\r\nc'],
    ['lone CR', 'a\rb\nc', 'b', 'B', 'a\rB\nc'],
    ['deletion', 'a\r\nb\r\nc', 'b\n', '', 'a\r\nc'],
    ['a pattern', 'a.c abc', 'a.c', '$1', '$1 abc'],
  ])('B8 D14 keeps endings: %s', (_what, raw, oldString, newString, expected) => {
    expect(edit(raw, oldString, newString)).toBe(expected);
  });

  it('B8 changes every place of a mixed file with the ending it has there', () => {
    expect(edit('x\r\n1\r\nx\n2\n', 'x\n', 'x\ny\n', true)).toBe('x\r\ny\r\n1\r\nx\ny\n2\n');
  });

  it('B8 leaves everything outside the replaced text as it was, whatever the endings', () => {
    const piece = fc.constantFrom('a', 'b', '\n', '\r\n', '\r');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(!before.endsWith('\r') && !after.startsWith('\n'));
        const raw = `${before}<old>${after}`;

        expect(edit(raw, '<old>', '<new>')).toBe(`${before}<new>${after}`);
      }),
    );
  });

  it.each([
    ['a\r\nb\r\n', 'x\ny\n', 'x\r\ny\r\n'],
    ['a\nb\n', 'x\ny\n', 'x\ny\n'],
    ['a\nb\nc\r\n', 'x\n', 'x\n'],
    ['a\r\n', 'x\r\ny\n', 'x\r\ny\n'],
  ])('B8 writes over %j with the ending that prevails', (existing, content, expected) => {
    expect(keepLineEndings(content, existing)).toBe(expected);
  });

  it('N9 hunks lead from the old text to the new one', () => {
    const line = fc.constantFrom('a', 'b', 'c', 'd');
    const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.map((each) => `${each}\n`).join(''));

    fc.assert(
      fc.property(text, text, (before, after) => {
        let rest = before;
        let result = '';
        for (const { oldText, newText } of diffHunks('f', before, after)) {
          const at = rest.indexOf(oldText ?? '');
          expect(at).not.toBe(-1);
          result += rest.slice(0, at) + newText;
          rest = rest.slice(at + (oldText ?? '').length);
        }
        if (before === after) expect(diffHunks('f', before, after)).toEqual([]);
        else expect((result + rest).length).toBe(after.length);
      }),
    );
  });

  it('B19 counts the same lines however the text is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', '\r'), { maxLength: 20 }), async (pieces) => {
        const lines = toLf(pieces.join('')).split('\n');
        if (lines.at(-1) === '') lines.pop();

        const outcome = await readWindow(pieces, { offset: 1, limit: 100 });

        expect(outcome.totalLines).toBe(lines.length);
        expect(outcome.lines.map(({ text }) => text)).toEqual(lines);
      }),
    );
  });
});
