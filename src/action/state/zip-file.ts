import { crc32, inflateRawSync } from 'node:zlib';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** 1980-01-01, the first day a zip can name: what is kept does not depend on when. */
const DATE = 0x21;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;

/** A zip that holds one file as it is: GitHub keeps artifacts as zips, and sealed bytes do not shrink. */
export function zipFile(name: string, bytes: Buffer): Buffer {
  const path = Buffer.from(name);
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(DATE, 8);
  fields.writeUInt32LE(crc32(bytes), 10);
  fields.writeUInt32LE(bytes.length, 14);
  fields.writeUInt32LE(bytes.length, 18);
  fields.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([uint32(LOCAL), fields, path, bytes]);
  const central = Buffer.concat([uint32(CENTRAL), uint16(VERSION), fields, Buffer.alloc(14), path]);
  const end = Buffer.alloc(END_BYTES - 4);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, uint32(END), end]);
}

/**
 * The one file of a zip, of at most `limit` bytes whatever the zip says of itself. Undefined for any other zip, and for
 * what is none. https://support.pkware.com/pkzip/appnote
 */
export function unzipFile(zip: Buffer, name: string, limit: number): Buffer | undefined {
  try {
    return readOnly(zip, name, limit);
  } catch {
    return undefined;
  }
}

function readOnly(zip: Buffer, name: string, limit: number): Buffer | undefined {
  const end = zip.lastIndexOf(uint32(END));
  if (end < 0 || zip.readUInt16LE(end + 10) !== 1) return undefined;
  const central = zip.readUInt32LE(end + 16);
  if (zip.readUInt32LE(central) !== CENTRAL || nameAt(zip, central, 28, CENTRAL_BYTES) !== name) return undefined;
  const [method, crc] = [zip.readUInt16LE(central + 10), zip.readUInt32LE(central + 16)];
  const [packed, size] = [zip.readUInt32LE(central + 20), zip.readUInt32LE(central + 24)];
  const local = zip.readUInt32LE(central + 42);
  if (size > limit || zip.readUInt32LE(local) !== LOCAL) return undefined;
  const from = local + LOCAL_BYTES + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const bytes = unpack(zip.subarray(from, from + packed), method, limit);
  return bytes?.length === size && crc32(bytes) === crc ? bytes : undefined;
}

function unpack(bytes: Buffer, method: number, limit: number): Buffer | undefined {
  if (method === 0) return bytes;
  return method === 8 ? inflateRawSync(bytes, { maxOutputLength: limit }) : undefined;
}

function nameAt(zip: Buffer, entry: number, lengthAt: number, headBytes: number): string {
  const from = entry + headBytes;
  return zip.toString('utf8', from, from + zip.readUInt16LE(entry + lengthAt));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint16(value: number): Buffer {
  return uint32(value).subarray(0, 2);
}
