import { FsError } from '../../seams/filesystem/fs-error.ts';
import { assertLooksLikeText, notText } from './text-encoding.ts';

const PART_BYTES = 256 * 1024;

export interface FilePart {
  bytes: Buffer;
  version: string;
  atEnd: boolean;
}

/** Reads up to `maxBytes` from `offset`. */
export type ReadPart = (offset: number, maxBytes: number) => Promise<FilePart>;

/** The UTF-8 text of a file in pieces; what fails at its beginning fails before the first piece is asked for. */
export async function streamText(readPart: ReadPart): Promise<AsyncIterable<string>> {
  const first = await readPart(0, PART_BYTES);
  assertLooksLikeText(first.bytes);
  return pieces(first, readPart);
}

async function* pieces(first: FilePart, readPart: ReadPart): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let offset = 0;
  for (let part = first; ; part = await readPart(offset, PART_BYTES)) {
    if (part.version !== first.version) throw new FsError('the file changed while it was read', 'FS_IO_ERROR');
    yield decoded(decoder, part);
    if (part.atEnd) return;
    offset += part.bytes.length;
  }
}

function decoded(decoder: InstanceType<typeof TextDecoder>, { bytes, atEnd }: FilePart): string {
  try {
    return decoder.decode(bytes, { stream: !atEnd });
  } catch (cause) {
    throw notText(cause);
  }
}
