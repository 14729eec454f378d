import { PersistenceError } from '../persistence-error.ts';
import type { Compression } from './session-path.ts';
import { compressFrame, decompressFrame, decompressTornFrame, frameEnd, hasFrameAfter } from './zstd-frames.ts';

/** Where a file has to be cut to lose a line, and the first line that is lost with it. */
export interface Cut {
  readonly offset: number;
  readonly fromLine: number;
}

/** The lines of a file as far as its bytes are whole. */
export interface LogLines {
  readonly lines: readonly string[];
  /** Bytes follow the last line that do not make one. */
  readonly hasTornEnd: boolean;
  /** Whether a line that cannot be read may be the work of a crash at all. */
  mayBeTorn(line: number): boolean;
  cutBefore(line: number): Cut;
}

export function readLines(bytes: Buffer, compression: Compression): LogLines {
  return compression === 'none' ? readPlainLines(bytes) : readFrames(bytes);
}

/** The bytes a batch of lines is stored as. */
export function writeLines(lines: readonly string[], compression: Compression): Buffer {
  const text = lines.map((line) => `${line}\n`).join('');
  return compression === 'none' ? Buffer.from(text) : compressFrame(text);
}

function readPlainLines(bytes: Buffer): LogLines {
  const { lines, rest } = splitLines(bytes.toString());
  return {
    lines,
    hasTornEnd: rest !== '',
    mayBeTorn: () => true,
    cutBefore: (line) => ({ offset: byteLength(lines.slice(0, line)), fromLine: line }),
  };
}

function byteLength(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

function splitLines(text: string): { lines: string[]; rest: string } {
  const lines = text.split('\n');
  return { rest: lines.pop()!, lines };
}

interface FrameStart {
  readonly offset: number;
  readonly line: number;
}

function readFrames(bytes: Buffer): LogLines {
  const lines: string[] = [];
  const frames: FrameStart[] = [];
  let offset = 0;
  for (let end = frameEnd(bytes, 0); end !== undefined; end = frameEnd(bytes, offset)) {
    frames.push({ offset, line: lines.length });
    for (const line of linesOfFrame(bytes.subarray(offset, end), offset)) lines.push(line);
    offset = end;
  }
  const sealed = lines.length;
  const hasTornEnd = offset < bytes.length;
  if (hasTornEnd) {
    if (hasFrameAfter(bytes, offset)) throw damaged(offset);
    frames.push({ offset, line: sealed });
    for (const line of splitLines(decompressTornFrame(bytes.subarray(offset))).lines) lines.push(line);
  }
  return { lines, hasTornEnd, mayBeTorn: (line) => line >= sealed, cutBefore: (line) => cutBefore(frames, line) };
}

function linesOfFrame(frame: Buffer, offset: number): string[] {
  let text: string;
  try {
    text = decompressFrame(frame);
  } catch (cause) {
    throw damaged(offset, cause);
  }
  const { lines, rest } = splitLines(text);
  if (rest !== '') throw damaged(offset);
  return lines;
}

function cutBefore(frames: readonly FrameStart[], line: number): Cut {
  const frame = frames.findLast((start) => start.line <= line)!;
  return { offset: frame.offset, fromLine: frame.line };
}

function damaged(offset: number, cause?: unknown): PersistenceError {
  return new PersistenceError(`the compressed frame at byte ${offset} is damaged`, 'CORRUPT_SESSION', { cause });
}
