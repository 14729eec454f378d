import { setFlagsFromString } from 'node:v8';
import { setImmediate as nextTick } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ItemRetainer } from '../../../src/seams/spill/item-retainer.ts';
import { describeOmitted, formatRetentionNotice } from '../../../src/seams/spill/retention-notice.ts';
import type { RetentionNotice } from '../../../src/seams/spill/retention-notice.ts';
import { TextRetainer } from '../../../src/seams/spill/text-retainer.ts';
import type { RetainedText, TextRetention } from '../../../src/seams/spill/text-retainer.ts';

const bytesOf = (text: string) => Buffer.byteLength(text);

function retain(retention: TextRetention, ...chunks: (string | Uint8Array)[]): RetainedText {
  const retainer = new TextRetainer(retention);
  for (const chunk of chunks) retainer.push(chunk);
  return retainer.finish();
}

/** What is in use once everything unused was given back, which takes the collector more than one round. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 5; round += 1) {
    collect();
    await nextTick();
  }
  return process.memoryUsage().arrayBuffers;
}

/** On a stack frame of its own, which keeps nothing alive. */
function pushHuge(retainer: TextRetainer): void {
  for (let n = 0; n < 3; n += 1) retainer.push(Buffer.alloc(32 * 1024 ** 2, 'x'));
}

/** The same bytes in pieces of a few, which split code points. */
function inPieces(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}

describe('spill', () => {
  it.each([
    [{ kind: 'head', maxBytes: 4 }, 'abcd', 4],
    [{ kind: 'tail', maxBytes: 4 }, 'ghij', 0],
    [{ kind: 'headTail', headBytes: 3, tailBytes: 2 }, 'abcij', 3],
  ] as const)('SP17 %j of ten bytes keeps its part and says where the gap is', (retention, text, gapAt) => {
    const kept = retain(retention, 'abc', 'defgh', 'ij');

    expect(kept).toEqual({ text, truncated: true, omittedBytes: { kind: 'exact', count: 10 - text.length }, gapAt });
  });

  it('SP17 a text of exactly the budget is whole: nothing is trimmed where head and tail meet in a code point', () => {
    const kept = retain({ kind: 'headTail', headBytes: 2, tailBytes: 4 }, '€€');

    expect(kept).toEqual({ text: '€€', truncated: false, omittedBytes: { kind: 'none' } });
  });

  it('SP17 SP18 code points at a gap are trimmed on both sides, and what that costs is counted', () => {
    const kept = retain({ kind: 'headTail', headBytes: 4, tailBytes: 5 }, '€€€€');

    expect(kept).toEqual({ text: '€€', truncated: true, omittedBytes: { kind: 'exact', count: 6 }, gapAt: 1 });
  });

  it('SP17 SP18 whatever the text, the budgets and the pieces: whole code points of it, within budget, rightly counted', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    const budget = fc.nat(40);

    fc.assert(
      fc.property(text, budget, budget, fc.integer({ min: 1, max: 9 }), (text, headBytes, tailBytes, size) => {
        const kept = retain({ kind: 'headTail', headBytes, tailBytes }, ...inPieces(text, size));
        const [head, tail] = [kept.text.slice(0, kept.gapAt), kept.text.slice(kept.gapAt ?? kept.text.length)];

        expect(kept.truncated).toBe(bytesOf(text) > headBytes + tailBytes);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        if (!kept.truncated) return expect(kept.text).toBe(text);
        expect(bytesOf(head)).toBeLessThanOrEqual(headBytes);
        expect(bytesOf(tail)).toBeLessThanOrEqual(tailBytes);
        expect(headBytes - bytesOf(head)).toBeLessThan(4);
        expect(tailBytes - bytesOf(tail)).toBeLessThan(4);
        expect(kept.omittedBytes).toEqual({ kind: 'exact', count: bytesOf(text) - bytesOf(kept.text) });
      }),
    );
  });

  it('SP17 bytes that are no UTF-8 are kept, not trimmed away', () => {
    const kept = retain({ kind: 'headTail', headBytes: 5, tailBytes: 5 }, Buffer.alloc(100, 0x80));

    expect(kept.text.length).toBeGreaterThanOrEqual(5 + 2);
    expect(retain({ kind: 'head', maxBytes: 3 }, Buffer.from([0x61, 0x62, 0xff, 0x63])).text).toBe('ab\uFFFD');
  });

  it.each([
    { kind: 'head', maxBytes: 1024 },
    { kind: 'tail', maxBytes: 1024 },
  ] as const)('SP19 of one huge chunk no more than the budget stays in memory ($kind)', async (retention) => {
    const retainer = new TextRetainer(retention);
    const before = await heldBytes();

    pushHuge(retainer);

    expect((await heldBytes()) - before).toBeLessThan(1024 ** 2);
    expect(retainer.finish().text).toBe('x'.repeat(1024));
  });

  it('SP19 many small chunks cost no more than one large one', () => {
    const kept = retain({ kind: 'headTail', headBytes: 3, tailBytes: 3 }, ...Array.from('abcdefghijklmnopqrstuvwxyz'));

    expect(kept).toEqual({ text: 'abcxyz', truncated: true, omittedBytes: { kind: 'exact', count: 20 }, gapAt: 3 });
  });

  it('SP20 truncated means the budget, from the first push that it costs something', () => {
    const text = new TextRetainer({ kind: 'head', maxBytes: 3 });
    const items = new ItemRetainer<string>({ kind: 'head', maxItems: 1 });

    expect(['ab', 'cd', 'ef'].map((chunk) => text.push(chunk))).toEqual([
      { kept: true, truncated: false },
      { kept: true, truncated: true },
      { kept: false, truncated: true },
    ]);
    expect(new TextRetainer({ kind: 'tail', maxBytes: 1 }).push('ab')).toEqual({ kept: true, truncated: true });
    expect(['a', 'b'].map((item) => items.push(item))).toEqual([
      { kept: true, truncated: false },
      { kept: false, truncated: true },
    ]);
  });

  it('SP18 SP20 of a list the first items are kept and the others counted', () => {
    const retainer = new ItemRetainer<number>({ kind: 'head', maxItems: 2 });
    const whole = retainer.finish();
    for (const item of [1, 2, 3, 4, 5]) retainer.push(item);

    expect(whole).toEqual({ items: [], truncated: false, seen: 0, kept: 0, omitted: { kind: 'none' } });
    expect(retainer.finish()).toEqual({
      ...{ items: [1, 2], truncated: true, seen: 5, kept: 2 },
      omitted: { kind: 'exact', count: 3 },
    });
  });

  it('SP18 the notice says what is missing, as far as it is known, and how to get it', () => {
    const notice: RetentionNotice = {
      ...{ scope: 'matches', strategy: 'head', unit: 'lines', limit: 5, kept: 5 },
      omitted: { kind: 'unknown' },
    };

    expect(describeOmitted({ kind: 'none' }, 'bytes')).toBe('');
    expect(describeOmitted({ kind: 'exact', count: 3 }, 'bytes')).toBe('Omitted 3 bytes.');
    expect(describeOmitted({ kind: 'exact', count: 1 }, 'items')).toBe('Omitted 1 item.');
    expect(describeOmitted({ kind: 'unknown' }, 'bytes')).toBe('More bytes were omitted.');
    expect(formatRetentionNotice(notice, 'Ask for less.')).toBe('(More lines were omitted. Ask for less.)');
    expect(formatRetentionNotice({ ...notice, omitted: { kind: 'none' } }, '')).toBe('');
  });
});
