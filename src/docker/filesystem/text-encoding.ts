import type { FsDecodedText, FsEncoding } from '../../seams/filesystem/file-system.ts';
import { FsError } from '../../seams/filesystem/fs-error.ts';

const SNIFFED_BYTES = 8_192;

/**
 * The text of a whole file: UTF-16 by its byte order mark, else UTF-8, else Latin-1. A mark stays part of the text, so
 * that it is written back. Throws `FS_NOT_TEXT` for what is no text.
 */
export function decodeText(bytes: Buffer): FsDecodedText {
  const marked = markedEncoding(bytes);
  if (marked) return { text: decodeAs(marked, bytes), encoding: marked };
  assertLooksLikeText(bytes);
  try {
    return { text: decodeAs('utf-8', bytes), encoding: 'utf-8' };
  } catch {
    if (bytes.includes(0)) throw notText();
    return { text: bytes.toString('latin1'), encoding: 'latin1' };
  }
}

/** The bytes of a text in an encoding. Throws `FS_NOT_TEXT` where it does not fit. */
export function encodeText(text: string, encoding: FsEncoding): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    case 'latin1':
      if (/[^\0-\xff]/.test(text))
        throw new FsError('the text does not fit the encoding of the file, Latin-1', 'FS_NOT_TEXT');
      return Buffer.from(text, 'latin1');
  }
}

/** A NUL, or more than one control character in ten, at the beginning of a file. */
export function assertLooksLikeText(bytes: Buffer): void {
  const start = bytes.subarray(0, SNIFFED_BYTES);
  const controls = start.reduce((count, byte) => count + (isControl(byte) ? 1 : 0), 0);
  if (start.includes(0) || controls * 10 > start.length) throw notText();
}

export function notText(cause?: unknown): FsError {
  return new FsError('not a text file', 'FS_NOT_TEXT', cause === undefined ? undefined : { cause });
}

function markedEncoding(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

function decodeAs(encoding: Exclude<FsEncoding, 'latin1'>, bytes: Buffer): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notText(cause);
  }
}

/** Not tab, line feed, vertical tab, form feed, carriage return, escape. */
function isControl(byte: number): boolean {
  return (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f;
}
