import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FrameError, FrameReader, FrameWriter } from '../../src/docker/agent/frame.ts';
import { AttachDemuxer } from '../../src/docker/attach-demuxer.ts';

const key = randomBytes(32);

function split(bytes: Buffer, sizes: number[]): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...parts, bytes.subarray(at)].filter((part) => part.length > 0);
}

function attached(kind: number, bytes: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = kind;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

describe('bash', () => {
  it('N1 reads frames and attach headers however they are split', () => {
    const messages = fc.array(fc.record({ head: fc.dictionary(fc.string(), fc.jsonValue()), body: fc.uint8Array() }));
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }));

    fc.assert(
      fc.property(messages, sizes, sizes, (sent, inner, outer) => {
        const writer = new FrameWriter(key, 'to-host');
        const frames = Buffer.concat(sent.map(({ head, body }) => writer.encode(head, body)));
        const stream = Buffer.concat(split(frames, inner).map((part) => attached(1, part)));
        const [demuxer, reader] = [new AttachDemuxer(), new FrameReader(key, 'to-host')];

        const read = split(stream, outer).flatMap((part) =>
          demuxer.push(part).flatMap(({ bytes }) => reader.push(bytes)),
        );

        expect(read.map(({ head }) => head)).toEqual(sent.map(({ head }) => JSON.parse(JSON.stringify(head))));
        expect(read.map(({ body }) => body.toString('hex'))).toEqual(
          sent.map(({ body }) => Buffer.from(body).toString('hex')),
        );
      }),
    );
  });

  it('N1 keeps the two streams of an attach stream apart and refuses a third', () => {
    const demuxer = new AttachDemuxer();

    const pieces = demuxer.push(Buffer.concat([attached(2, Buffer.from('e')), attached(1, Buffer.from('o'))]));

    expect(pieces.map(({ stream, bytes }) => `${stream}:${bytes.toString()}`)).toEqual(['stderr:e', 'stdout:o']);
    expect(() => demuxer.push(attached(3, Buffer.from('x')))).toThrow(/attach stream/);
  });

  it.each([
    ['changed', (frame: Buffer) => frame.with(-1, frame.at(-1)! ^ 1)],
    ['announced as huge', (frame: Buffer) => Buffer.concat([Buffer.from('ffffffff', 'hex'), frame.subarray(4)])],
  ])('N12 refuses a frame that was %s', (_title, tamper) => {
    const frame = new FrameWriter(key, 'to-host').encode({ type: 'result', call: 1, value: null });

    expect(() => new FrameReader(key, 'to-host').push(Buffer.from(tamper(frame)))).toThrow(FrameError);
  });

  it('N12 refuses a frame that is repeated, comes from the other direction or has another key', () => {
    const frame = new FrameWriter(key, 'to-host').encode({ type: 'result', call: 1, value: null });
    const reader = new FrameReader(key, 'to-host');
    reader.push(frame);

    expect(() => reader.push(frame)).toThrow(FrameError);
    expect(() => new FrameReader(key, 'to-agent').push(frame)).toThrow(FrameError);
    expect(() => new FrameReader(randomBytes(32), 'to-host').push(frame)).toThrow(FrameError);
  });
});
