import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendDurably, cutAndAppend, publishFile } from '../../src/store/jsonl/durable-file.ts';

type Failure = 'write' | 'sync' | 'truncate';

/** Opens files whose named operations fail: a half write leaves half of its bytes. */
function failing(...failures: Failure[]): typeof open {
  return (async (...args: Parameters<typeof open>) => {
    const file = await open(...args);
    const write = file.write.bind(file) as (
      content: Buffer,
      from: number,
      length: number,
      at: number,
    ) => Promise<unknown>;
    const halfWrite = async (content: Buffer, from: number, length: number, at: number) => {
      await write(content, from, Math.floor(length / 2), at);
      throw new Error('write failed');
    };
    if (failures.includes('write')) Object.assign(file, { write: halfWrite });
    if (failures.includes('sync')) failOnce(file, 'sync');
    if (failures.includes('truncate')) failOnce(file, 'truncate');
    return file;
  }) as typeof open;
}

function failOnce(file: object, name: 'sync' | 'truncate'): void {
  const real = Reflect.get(file, name) as (...args: unknown[]) => Promise<void>;
  let failed = false;
  Object.assign(file, {
    [name]: (...args: unknown[]) => {
      if (failed) return real.apply(file, args);
      failed = true;
      return Promise.reject(new Error(`${name} failed`));
    },
  });
}

describe('persistence', () => {
  let directory: string;
  let path: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dsh-durable-'));
    path = join(directory, 'log');
    await writeFile(path, 'before\n');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('P23 an append adds at the end', async () => {
    await appendDurably(path, Buffer.from('after\n'));

    expect(await readFile(path, 'utf8')).toBe('before\nafter\n');
  });

  it.each(['write', 'sync'] as const)('P23 a failed %s leaves the file as it was and is rethrown', async (failure) => {
    await expect(appendDurably(path, Buffer.from('after\n'), failing(failure))).rejects.toThrow(`${failure} failed`);

    expect(await readFile(path, 'utf8')).toBe('before\n');
  });

  it('P23 when taking back fails as well, both errors are told', async () => {
    const error = await appendDurably(path, Buffer.from('after\n'), failing('write', 'truncate')).catch(
      (reason: unknown) => reason as AggregateError,
    );

    expect((error as AggregateError).errors.map(({ message }: Error) => message)).toEqual([
      'write failed',
      'truncate failed',
    ]);
  });

  it('P12 a repair cuts first and adds then; if adding fails the cut file remains', async () => {
    await cutAndAppend(path, 3, Buffer.from('ter\n'));
    expect(await readFile(path, 'utf8')).toBe('better\n'.replace('better', 'befter'));

    await expect(cutAndAppend(path, 2, Buffer.from('yond\n'), failing('write'))).rejects.toThrow('write failed');
    expect(await readFile(path, 'utf8')).toBe('be');
  });

  it('P22 every directory level that was made is synced, and last the one that holds the new name', async () => {
    const synced: string[] = [];
    const recording = (async (...args: Parameters<typeof open>) => {
      const file = await open(...args);
      const sync = file.sync.bind(file);
      return Object.assign(file, { sync: () => (synced.push(String(args[0])), sync()) });
    }) as typeof open;

    await publishFile(join(directory, 'deep', 'er', 'log'), Buffer.from('x'), recording);

    expect(synced).toEqual([
      join(directory, 'deep'),
      directory,
      expect.stringContaining('.tmp'),
      join(directory, 'deep', 'er'),
    ]);
  });

  it('P22 a first write that fails leaves no file under the name, and a taken name is not replaced', async () => {
    const fresh = join(directory, 'deep', 'er', 'log');

    await expect(publishFile(fresh, Buffer.from('x'), failing('sync'))).rejects.toThrow('sync failed');
    await expect(readFile(fresh)).rejects.toThrow('ENOENT');
    await publishFile(fresh, Buffer.from('x'));
    await expect(publishFile(fresh, Buffer.from('y'))).rejects.toThrow('EEXIST');

    expect(await readFile(fresh, 'utf8')).toBe('x');
  });
});
