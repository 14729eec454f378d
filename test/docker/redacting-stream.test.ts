import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RedactingStream } from '../../src/docker/bash/redacting-stream.ts';

const SECRET = 'hunter2-hunter2';
const redact = (text: string) => text.replaceAll(SECRET, '***');

function streamed(bytes: Buffer, cuts: readonly number[]): Buffer {
  const stream = new RedactingStream(redact);
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const pieces = borders.slice(1).map((end, index) => stream.push(Buffer.from(bytes.subarray(borders[index], end))));
  return Buffer.concat([...pieces, stream.end()]);
}

describe('bash', () => {
  it('N6 a secret is taken out wherever the pieces of a stream are cut', () => {
    const piece = fc.constantFrom(SECRET, SECRET.slice(0, 8), '\n', 'é', 'x', 'y'.repeat(5_000), SECRET.repeat(400));
    const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));

    fc.assert(
      fc.property(text, fc.array(fc.nat(60_000), { maxLength: 20 }), (text, cuts) => {
        expect(streamed(Buffer.from(text), cuts).toString()).toBe(redact(text));
      }),
      { numRuns: 200 },
    );
  });

  it('N6 bytes that are no text pass unchanged, and a secret among them does not', () => {
    const noise = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * 7919) % 256));

    const out = streamed(Buffer.concat([noise, Buffer.from(SECRET), noise]), [1, 30_000, 70_005, 100_000]);

    expect(out.equals(Buffer.concat([noise, Buffer.from('***'), noise]))).toBe(true);
  });

  it('N6 no more than a few secrets of an endless line are held back', () => {
    const stream = new RedactingStream(redact);

    const written = Array.from({ length: 100 }, () => stream.push(Buffer.from(SECRET.repeat(700))).length);

    expect(written.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(100 * 700 * 3 - 12_288);
  });
});
