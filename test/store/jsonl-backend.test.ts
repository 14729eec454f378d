import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SessionId } from '../../src/harness/session/types.ts';
import type { SessionEvent, SessionHeader } from '../../src/harness/session/types.ts';
import { JsonlBackend } from '../../src/store/jsonl/jsonl-backend.ts';
import type { JsonlConfig } from '../../src/store/jsonl/jsonl-backend.ts';
import { writeLines } from '../../src/store/jsonl/log-lines.ts';
import { encodeId } from '../../src/store/jsonl/session-path.ts';
import { compressFrame, decompressFrame, frameEnd } from '../../src/store/jsonl/zstd-frames.ts';
import { LogWriter, text, typesOf } from '../harness/session/session-fixture.ts';
import { codeOfRejection, headerOf, persistenceOf, plain } from './contract-storage.ts';
import { jsonlStorage } from './jsonl-storage.ts';
import type { JsonlStorage } from './jsonl-storage.ts';

const meta = headerOf('s1');
const opened: JsonlStorage[] = [];
afterEach(() => Promise.all(opened.splice(0).map((storage) => storage.dispose())));

async function makeStorage(config: Omit<JsonlConfig, 'root'> = {}): Promise<JsonlStorage> {
  const storage = await jsonlStorage(config)();
  opened.push(storage);
  return storage;
}

/** Stores each batch as one append, and returns the file. */
async function store(storage: JsonlStorage, batches: (readonly SessionEvent[])[], header = meta): Promise<string> {
  const persistence = persistenceOf(storage.open());
  await persistence.create(header);
  for (const batch of batches) await persistence.append(header.id, batch);
  return storage.open().locate(header).path;
}

const load = (storage: JsonlStorage, id = meta.id) => persistenceOf(storage.open()).load(id);
const inspect = (storage: JsonlStorage, id = meta.id) => persistenceOf(storage.open()).inspect(id);

/** A finished turn and one that was cut off after its prompt. */
function brokenOff(): readonly SessionEvent[] {
  return new LogWriter().shortTurn().startTurn().prompt('hi').session.events;
}

function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = frameEnd(bytes, at)!;
    frames.push(bytes.subarray(at, end));
    at = end;
  }
  return frames;
}

describe('persistence', () => {
  it('P20 one directory per cwd, private, and a readable file name', async () => {
    const storage = await makeStorage({ compression: 'none' });
    const { events } = new LogWriter().shortTurn().session;
    const { cwd: _cwd, ...noCwd } = headerOf('none');

    const path = await store(storage, [events], headerOf('gh-1-2-3'));
    await store(storage, [events], noCwd as SessionHeader);

    const bucket = `cwd-${createHash('sha256').update('/work').digest('hex').slice(0, 12)}`;
    expect(path).toBe(join(storage.root, bucket, 'gh-1-2-3.jsonl'));
    expect((await readdir(storage.root)).toSorted()).toEqual(['_no-cwd', bucket]);
    expect(await readdir(join(storage.root, bucket))).toEqual(['gh-1-2-3.jsonl']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  });

  it('P20 a root is taken as it lies when it is opened, and there is no other', () => {
    const here = process.cwd();
    const backend = new JsonlBackend({ root: 'some/where' });
    process.chdir(tmpdir());
    const { path } = backend.locate(meta);
    process.chdir(here);

    expect(path.startsWith(join(here, 'some/where/cwd-'))).toBe(true);
    expect(() => new JsonlBackend({} as never)).toThrow('must be of type string');
  });

  it('P20 ids are encoded without collision, and none leads out of its directory', () => {
    const ids = ['a', 'A', 'a b', 'a~0020b', '.', '..', '...', '~', 'ä', '🙂', '\ud83d', '../x', 'a/b', 'a\0b', 'con:'];
    const names = ids.map((id) => encodeId(SessionId(id)));

    expect(new Set(names).size).toBe(ids.length);
    expect(names.every((name) => /^[A-Za-z0-9._~-]+$/.test(name) && name !== '.' && name !== '..')).toBe(true);
    expect(encodeId(SessionId('a/ä'))).toBe('a~002F~00E4');
    expect(() => encodeId(SessionId(''))).toThrow(TypeError);
  });

  it('P21 line 0 is the header with its depth, every other line one event', async () => {
    const storage = await makeStorage({ compression: 'none' });
    const { delegationDepth: _depth, ...header } = meta;
    const { events } = new LogWriter().shortTurn().session;

    const lines = (await readFile(await store(storage, [events], header), 'utf8')).split('\n');

    expect(JSON.parse(lines[0]!)).toEqual({ type: 'session', ...header, delegationDepth: 0 });
    expect(lines.slice(1, -1).map((line) => JSON.parse(line) as unknown)).toEqual(plain(events));
    expect(lines.at(-1)).toBe('');
  });

  it.each([-1, 0.5, '1', undefined])('P21 a header with delegationDepth %s is refused', async (delegationDepth) => {
    const storage = await makeStorage({ compression: 'none' });
    const path = await store(storage, [new LogWriter().shortTurn().session.events]);
    const [, ...rest] = (await readFile(path, 'utf8')).split('\n');

    await writeFile(path, [JSON.stringify({ type: 'session', ...meta, delegationDepth }), ...rest].join('\n'));

    expect(await codeOfRejection(inspect(storage))).toBe('CORRUPT_SESSION');
  });

  it('P6 another format version is refused by name before its shape is judged', async () => {
    const storage = await makeStorage({ compression: 'none' });
    const path = await store(storage, [new LogWriter().shortTurn().session.events]);
    await writeFile(path, '{"type":"session","version":3,"name":"shaped otherwise"}\nnot even json\n');

    expect(await codeOfRejection(load(storage))).toBe('FOREIGN_FORMAT');
    await expect(load(storage)).rejects.toThrow(/version 3.*reads 0/);
  });

  it('P6 a stored event of the removed vocabulary is refused, not repaired', async () => {
    const storage = await makeStorage({ compression: 'none' });
    const path = await store(storage, [brokenOff()]);
    await appendFile(path, '{"type":"mode/set","seq":8,"time":1,"data":{}}\n');

    expect(await codeOfRejection(load(storage))).toBe('INVALID_EVENT');
  });

  it('P22 the first write publishes under a new name only, and leaves nothing temporary', async () => {
    const storage = await makeStorage();
    const { events } = new LogWriter().shortTurn().session;
    const path = await store(storage, [events.slice(0, 1)]);
    const before = await readFile(path);

    await expect(storage.open().appendBatch(meta, events, false)).rejects.toThrow('EEXIST');

    expect(await readFile(path)).toEqual(before);
    expect(await readdir(dirname(path))).toEqual(['s1.jsonl.zstd']);
  });

  it.each(['none', 'zstd'] as const)('P8 damage at or before the last turn/end rejects (%s)', async (compression) => {
    const storage = await makeStorage({ compression });
    const { events } = new LogWriter().shortTurn().shortTurn().session;
    const path = await store(storage, [events.slice(0, 6), events.slice(6)]);
    const bytes = await readFile(path);
    const middle = Math.floor(bytes.length * 0.4);

    await writeFile(path, Buffer.concat([bytes.subarray(0, middle), bytes.subarray(middle + 1)]));

    expect(await codeOfRejection(load(storage))).toBe('CORRUPT_SESSION');
    expect(await codeOfRejection(inspect(storage))).toBe('CORRUPT_SESSION');
  });

  it('P8 a gap before the last turn/end rejects, one after it is a torn tail', async () => {
    const { events } = new LogWriter().shortTurn().shortTurn().session;
    const lines = events.map((event) => JSON.stringify(event));
    const [before, after] = [await makeStorage({ compression: 'none' }), await makeStorage({ compression: 'none' })];
    const gapBefore = await store(before, [events.slice(0, 2)]);
    const gapAfter = await store(after, [events.slice(0, 6)]);

    await appendFile(gapBefore, writeLines(lines.slice(3), 'none'));
    await appendFile(gapAfter, writeLines(lines.slice(7, 11), 'none'));

    expect(await codeOfRejection(load(before))).toBe('CORRUPT_SESSION');
    expect((await load(after)).events).toEqual(plain(events.slice(0, 6)));
    expect((await readFile(gapAfter, 'utf8')).split('\n')).toHaveLength(8);
  });

  it('P8 durable bytes are never rewritten: load only cuts and adds', async () => {
    const storage = await makeStorage({ compression: 'none' });
    const path = await store(storage, [brokenOff()]);
    const durable = await readFile(path, 'utf8');
    await appendFile(path, '{"type":"step/start","seq":8,"ti');

    const { events } = await load(storage);

    const mended = await readFile(path, 'utf8');
    expect(mended.startsWith(durable)).toBe(true);
    expect(mended.slice(durable.length)).toBe(`${JSON.stringify(events.at(-1))}\n`);
  });

  it.each(['none', 'zstd'] as const)(
    'P8 P24 a file cut at any byte gives whole events and can go on (%s)',
    async (compression) => {
      const storage = await makeStorage({ compression });
      const log = new LogWriter().shortTurn().startTurn().prompt('hi');
      const path = await store(storage, [log.session.events.slice(0, 6), log.session.events.slice(6)]);
      const whole = await readFile(path);
      const ended = compression === 'none' ? whole.indexOf('"turn/end"') + 60 : endOfFrames(whole, 2);

      for (let size = ended + 1; size < whole.length; size += 7) {
        await writeFile(path, whole);
        await truncate(path, size);

        const { events } = await load(storage);

        expect(typesOf(events).slice(0, 6)).toEqual(typesOf(log.session.events).slice(0, 6));
        expect((await inspect(storage)).events).toEqual(events);
      }
    },
  );

  it('P19 a tear right at the start of what can be cut is still a tear', async () => {
    const storage = await makeStorage({ compression: 'none' });
    const events = new LogWriter().startTurn().session.events;
    const path = await store(storage, [events]);
    const header = (await readFile(path, 'utf8')).split('\n')[0]!;
    await writeFile(path, `${header}\n{"type":"turn/st`);

    expect((await load(storage)).events).toEqual([]);
    expect(await readFile(path, 'utf8')).toBe(`${header}\n`);
    await persistenceOf(storage.open()).append(meta.id, events);
    expect((await inspect(storage)).events).toEqual(plain(events));
  });

  it('P24 the header has a frame of its own and each batch one with a checksum', async () => {
    const storage = await makeStorage();
    const { events } = new LogWriter().shortTurn().session;

    const frames = framesOf(await readFile(await store(storage, [events.slice(0, 2), events.slice(2)])));

    expect(frames.map((frame) => decompressFrame(frame).trimEnd().split('\n').length)).toEqual([1, 2, 4]);
    expect(frames.every((frame) => (frame[4]! & 0b100) !== 0)).toBe(true);
  });

  it('P24 a whole frame with a wrong checksum or a torn line is corruption, even at the end', async () => {
    const storage = await makeStorage();
    const path = await store(storage, [brokenOff()]);
    const sound = await readFile(path);

    await writeFile(path, sound.with(sound.length - 1, sound.at(-1)! ^ 1));
    expect(await codeOfRejection(load(storage))).toBe('CORRUPT_SESSION');
    await writeFile(path, Buffer.concat([sound, compressFrame('{"type":"step/st')]));
    expect(await codeOfRejection(load(storage))).toBe('CORRUPT_SESSION');
    await writeFile(path, Buffer.concat([sound, compressFrame('not json\n')]));
    expect(await codeOfRejection(load(storage))).toBe('CORRUPT_SESSION');
  });

  it('P8 P24 damage between whole frames is corruption and never taken for a torn end', async () => {
    const storage = await makeStorage();
    const { events } = new LogWriter().shortTurn().shortTurn().session;
    const path = await store(storage, [events.slice(0, 6), events.slice(6)]);
    const whole = await readFile(path);
    const [header, first] = framesOf(whole) as [Buffer, Buffer];

    await writeFile(path, whole.fill(0, header.length, header.length + first.length));

    expect(await codeOfRejection(load(storage))).toBe('CORRUPT_SESSION');
    expect((await readFile(path)).length).toBe(whole.length);
  });

  it('P24 whole lines of a torn last frame are kept and written again with the closers', async () => {
    const storage = await makeStorage();
    const log = new LogWriter().shortTurn().startTurn().prompt('hi').startStep();
    const first = log.session.seq;
    for (let i = 0; i < 4_000; i++) log.chunk(createHash('sha256').update(String(i)).digest('base64'));
    const path = await store(storage, [log.session.events.slice(0, first), log.session.events.slice(first)]);
    const whole = await readFile(path);
    await truncate(path, whole.length - 10);

    const { events } = await load(storage);

    const kept = events.filter(({ type }) => type === 'assistant/chunk').length;
    expect(kept).toBeGreaterThan(100);
    expect(kept).toBeLessThan(4_000);
    expect(events.slice(0, first + kept)).toEqual(plain(log.session.events.slice(0, first + kept)));
    expect(typesOf(events.slice(first + kept))).toEqual(['step/end', 'turn/end']);
    expect((await readFile(path)).subarray(0, endOfFrames(whole, 2))).toEqual(whole.subarray(0, endOfFrames(whole, 2)));
    expect((await inspect(storage)).events).toEqual(events);
  });

  it('P25 a root has one encoding, and a file of the other one is named', async () => {
    const zstd = await makeStorage();
    await store(zstd, [new LogWriter().shortTurn().session.events]);
    const plainFile = join(zstd.root, '_no-cwd', 'other.jsonl');
    await mkdir(dirname(plainFile), { recursive: true });
    await writeFile(plainFile, '');

    expect(await codeOfRejection(load(zstd))).toBe('MIXED_ENCODINGS');
    await expect(persistenceOf(zstd.open()).list()).rejects.toThrow(plainFile);
  });

  it('P25 list reads no further than the header, skips what is none, and rejects a damaged one', async () => {
    const storage = await makeStorage();
    const path = await store(storage, [new LogWriter().shortTurn().session.events]);
    const whole = await readFile(path);
    await writeFile(path, Buffer.concat([framesOf(whole)[0]!, Buffer.from('garbage')]));
    await writeFile(join(dirname(path), 'empty.jsonl.zstd'), '');
    await writeFile(join(dirname(path), 'other.jsonl.zstd'), compressFrame('{"hello":1}\n'));
    await writeFile(join(dirname(path), 's2.jsonl.zstd.0123.tmp'), 'half written');

    expect(await persistenceOf(storage.open()).list()).toEqual([meta]);

    await writeFile(path, whole.with(12, whole[12]! ^ 0xff));
    expect(await codeOfRejection(persistenceOf(storage.open()).list())).toBe('CORRUPT_SESSION');
  });

  it('P25 nothing is absent unless the system says so', async () => {
    const storage = await makeStorage();
    expect(await persistenceOf(storage.open()).list()).toEqual([]);
    await writeFile(join(storage.root, '_no-cwd'), 'a file where a directory belongs');

    expect(await codeOfRejection(persistenceOf(storage.open()).list())).toBe('ENOTDIR');
    expect(await codeOfRejection(load(storage))).toBe('ENOTDIR');
  });

  it('an empty file is damage and not an unknown session', async () => {
    const storage = await makeStorage();
    await writeFile(await store(storage, [new LogWriter().shortTurn().session.events]), '');

    expect(await codeOfRejection(load(storage))).toBe('CORRUPT_SESSION');
  });

  it('a file with the header of another session is refused before anything is mended', async () => {
    const storage = await makeStorage({ compression: 'none' });
    const path = await store(storage, [brokenOff()]);
    const other = join(dirname(path), 's2.jsonl');
    await writeFile(other, await readFile(path));

    expect(await codeOfRejection(load(storage, SessionId('s2')))).toBe('CORRUPT_SESSION');
    expect(await readFile(other)).toEqual(await readFile(path));
  });

  it('a file that lies where its own cwd does not lead is refused before anything is mended', async () => {
    const storage = await makeStorage();
    const path = await store(storage, [brokenOff()]);
    const moved = join(storage.root, '_no-cwd', 's1.jsonl.zstd');
    await mkdir(dirname(moved));
    await rename(path, moved);
    const before = await readFile(moved);

    expect(await codeOfRejection(load(storage))).toBe('CORRUPT_SESSION');
    expect(await readFile(moved)).toEqual(before);
  });

  it('one id in two directories is refused', async () => {
    const storage = await makeStorage();
    const path = await store(storage, [brokenOff()]);
    const twin = join(storage.root, '_no-cwd', 's1.jsonl.zstd');
    await mkdir(dirname(twin));
    await writeFile(twin, await readFile(path));

    await expect(load(storage)).rejects.toThrow(/stored twice/);
  });

  it('the location of a session is known before it is written', async () => {
    const storage = await makeStorage();

    const location = persistenceOf(storage.open()).locate(meta);

    expect(location).toEqual({ kind: 'jsonl', path: expect.stringContaining(storage.root) });
    expect(await store(storage, [new LogWriter().startTurn().context(text('x')[0]!.type).session.events])).toBe(
      location!.path,
    );
  });
});

function endOfFrames(bytes: Buffer, count: number): number {
  return framesOf(bytes)
    .slice(0, count)
    .reduce((sum, frame) => sum + frame.length, 0);
}
