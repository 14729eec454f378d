import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { unzipFile, zipFile } from '../../../src/action/state/zip-file.ts';

const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 256));
const NAME = 'session.sealed';

/** The same zip as another program may have packed it. */
function deflated(content: Buffer, size = content.length): Buffer {
  const packed = deflateRawSync(content);
  const zip = zipFile(NAME, packed);
  const central = zip.lastIndexOf(Buffer.from('PK\u0001\u0002'));
  for (const at of [8, central + 10]) zip.writeUInt16LE(8, at);
  for (const at of [14, central + 16]) zip.writeUInt32LE(crc32(content), at);
  for (const at of [22, central + 24]) zip.writeUInt32LE(size, at);
  return zip;
}

describe('bot-hosts', () => {
  it('H9 the zip of an artifact is one that others read, and comes back as it was', async () => {
    const zip = zipFile(NAME, bytes);
    const folder = await mkdtemp(join(tmpdir(), 'dsh-zip-'));
    await writeFile(join(folder, 'a.zip'), zip);
    const listing = spawnSync('python3', ['-m', 'zipfile', '-l', join(folder, 'a.zip')], { encoding: 'utf8' });
    await rm(folder, { recursive: true });

    expect(unzipFile(zip, NAME, bytes.length)?.equals(bytes)).toBe(true);
    expect(unzipFile(deflated(bytes), NAME, bytes.length)?.equals(bytes)).toBe(true);
    if (!listing.error) expect(listing.stdout).toMatch(/session\.sealed .* 5000\n/);
  });

  it('H9 a zip that unpacks to more than it may is not unpacked, whatever it says of itself', () => {
    const bomb = Buffer.alloc(4_000_000);

    expect(unzipFile(deflated(bomb), NAME, 1_000_000)).toBeUndefined();
    expect(unzipFile(deflated(bomb, 100), NAME, 1_000_000)).toBeUndefined();
    expect(unzipFile(zipFile(NAME, bytes), NAME, bytes.length - 1)).toBeUndefined();
  });

  it('H9 any other zip, and what is none, is nothing of ours', () => {
    const zip = zipFile(NAME, bytes);

    expect(unzipFile(zip, 'other', 10_000)).toBeUndefined();
    expect(unzipFile(zipFile('../session.sealed', bytes), NAME, 10_000)).toBeUndefined();
    for (let length = 0; length < zip.length; length += 97)
      expect(unzipFile(zip.subarray(0, length), NAME, 10_000)).toBeUndefined();
    const changed = Buffer.from(zip);
    changed[100]! ^= 1;
    expect(unzipFile(changed, NAME, 10_000)).toBeUndefined();
    expect(unzipFile(Buffer.from('no zip at all'), NAME, 10_000)).toBeUndefined();
  });

  it('H9 a zip that was written as a stream is read; of two files, in the format for large ones, or with places outside of it none is', () => {
    const central = (zip: Buffer) => zip.lastIndexOf(Buffer.from('PK\u0001\u0002'));
    const changed = (change: (zip: Buffer) => void) => {
      const zip = zipFile(NAME, bytes);
      change(zip);
      return unzipFile(zip, NAME, 10_000);
    };

    // Sizes and sum stand behind the file then, and in the directory.
    const streamed = changed((zip) => {
      for (const at of [6, central(zip) + 8]) zip.writeUInt16LE(8, at);
      zip.fill(0, 14, 26);
    });
    expect(streamed?.equals(bytes)).toBe(true);
    expect(changed((zip) => zip.writeUInt16LE(2, zip.length - 12))).toBeUndefined();
    expect(changed((zip) => zip.fill(0xff, central(zip) + 20, central(zip) + 28))).toBeUndefined();
    expect(changed((zip) => zip.writeUInt32LE(0xffff_fff0, central(zip) + 42))).toBeUndefined();
    expect(changed((zip) => zip.writeUInt32LE(0xffff_fff0, zip.length - 6))).toBeUndefined();
    expect(changed((zip) => zip.writeUInt16LE(0xffff, 26))).toBeUndefined();
    expect(changed((zip) => zip.writeUInt16LE(12, central(zip) + 10))).toBeUndefined();
  });
});
