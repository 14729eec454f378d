import { mkdir, mkdtemp, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readSessionFile, writeSessionFile } from '../../../src/action/state/session-file.ts';
import { readSpills, writeSpills } from '../../../src/action/state/spill-files.ts';

describe('bot-hosts', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'dsh-spills-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  it('H9 long texts come back under the same names, for their owner alone; of too many the newest are kept', async () => {
    await mkdir(join(root, 'a/deep'), { recursive: true });
    for (const [at, path] of ['a/old', 'a/deep/new', 'a/large'].entries()) {
      await writeFile(join(root, path), path === 'a/large' ? 'x'.repeat(100) : path);
      await utimes(join(root, path), at, at);
    }
    await symlink('/etc/passwd', join(root, 'a/link'));

    const kept = await readSpills(join(root, 'a'), 15);
    await writeSpills(join(root, 'b'), kept);

    expect(kept.map(({ path }) => path)).toEqual(['deep/new', 'old']);
    expect(await readSpills(join(root, 'b'), 1_000)).toEqual(expect.arrayContaining(kept));
    expect((await stat(join(root, 'b/deep/new'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(root, 'b/deep'))).mode & 0o777).toBe(0o700);
    expect(await readSpills(join(root, 'nothing'), 10)).toEqual([]);
  });

  it('H9 a state that unpacks to more than it may is neither read nor written, and one that names a file elsewhere is not read', () => {
    const file = { logs: [], requests: [], subjects: [], settings: {}, causes: [], snapshot: undefined };
    const large = writeSessionFile({ ...file, spills: [{ path: 'a/b', bytes: Buffer.alloc(1_000_000) }] }, 2_000_000)!;

    expect(readSessionFile(large, 2_000_000).spills).toHaveLength(1);
    expect(() => readSessionFile(large, 900_000)).toThrow();
    expect(writeSessionFile(readSessionFile(large, 2_000_000), 900_000)).toBeUndefined();
    for (const path of ['/etc/x', '../x', 'a/../../x', 'a/..', ''])
      expect(() =>
        readSessionFile(writeSessionFile({ ...file, spills: [{ path, bytes: Buffer.from('x') }] }, 9_999)!, 9_999),
      ).toThrow();
  });
});
