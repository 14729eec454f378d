import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { commandEnvironment } from '../../src/docker/bash/command-environment.ts';
import { isDenied } from '../../src/docker/bash/is-denied.ts';
import { OutputCollector } from '../../src/docker/bash/output-collector.ts';
import { SpillFile } from '../../src/docker/bash/spill-file.ts';
import { SpillRoom } from '../../src/docker/bash/spill-room.ts';

let hostDir: string;
beforeEach(() => {
  hostDir = mkdtempSync(join(tmpdir(), 'dsh-spill-'));
});
afterEach(() => rmSync(hostDir, { recursive: true }));

function spillFile(maxBytes: number, room = new SpillRoom(hostDir)): SpillFile {
  return new SpillFile({ hostDir, maxBytes, room }, 'stdout');
}

describe('bash', () => {
  it('B8 drops whole pieces from the head, keeps the tail of one that is too big, and the first bytes apart', () => {
    const output = new OutputCollector(10);
    for (const piece of ['first-', 'second', 'third!']) output.push(Buffer.from(piece));
    expect(output.finish()).toMatchObject({
      text: 'third!',
      truncated: true,
      head: 'first-secondthird!',
      totalBytes: 18,
    });

    const big = new OutputCollector(4);
    big.push(Buffer.from('abcdefgh'));
    expect(big.finish()).toMatchObject({ text: 'efgh', truncated: true });

    const exact = new OutputCollector(4);
    exact.push(Buffer.from('abcd'));
    expect(exact.finish()).toEqual({ text: 'abcd', truncated: false });
  });

  it('B8 never begins a tail in the middle of a character', () => {
    const output = new OutputCollector(4);

    output.push(Buffer.from('aää€'));

    expect(output.finish().text).toBe('€');
  });

  it('B9 writes the complete stream to a private file on the first overflow', () => {
    const spill = spillFile(1_000);
    const output = new OutputCollector(10, spill);
    output.push(Buffer.from('one two '));
    expect(readdirSync(hostDir)).toEqual([]);

    output.push(Buffer.from('three '));
    output.push(Buffer.from('four'));

    const { spillPath } = output.finish();
    const file = join(hostDir, basename(spillPath!));
    expect(spillPath).toMatch(/^\/dsh\/spill\/stdout-[0-9a-f]+\.txt$/);
    expect(readFileSync(file, 'utf8')).toBe('one two three four');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('B9 deletes a file that outgrows its limit, or misses a part, and does not name it', () => {
    const tooLong = new OutputCollector(4, spillFile(12));
    for (let count = 0; count < 5; count += 1) tooLong.push(Buffer.from('12345'));
    const gap = new OutputCollector(4, spillFile(1_000));
    gap.push(Buffer.from('12345'));
    gap.push(Buffer.from('6'), 7);

    expect(tooLong.finish()).toEqual({
      text: '2345',
      truncated: true,
      head: '1234512345123451234512345',
      totalBytes: 25,
    });
    expect(gap.finish()).toEqual({ text: '6', truncated: true, head: '12345', totalBytes: 13 });
    expect(readdirSync(hostDir)).toEqual([]);
  });

  it('N6 what all commands of a session leave on the disk is bounded, with what earlier jobs left', () => {
    mkdirSync(join(hostDir, 'session-1'));
    writeFileSync(join(hostDir, 'session-1', 'earlier.txt'), 'x'.repeat(50));
    const room = new SpillRoom(hostDir, 100);
    const print = (bytes: number) => {
      const output = new OutputCollector(4, spillFile(1_000, room));
      output.push(Buffer.alloc(bytes, 'x'));
      return output.finish().spillPath !== undefined;
    };

    expect([print(30), print(30), print(20), print(1)]).toEqual([true, false, true, false]);
    expect(readdirSync(hostDir)).toHaveLength(3);
  });

  it('B9 goes on without a file where none can be made', () => {
    const missing = join(hostDir, 'missing');
    const place = { hostDir: missing, maxBytes: 99, room: new SpillRoom(missing) };
    const output = new OutputCollector(4, new SpillFile(place, 'stdout'));

    output.push(Buffer.from('12345678'));

    expect(output.finish()).not.toHaveProperty('spillPath');
  });

  it('B14 never repeats, and says when unread bytes fell out of the window', () => {
    const output = new OutputCollector(6);
    output.push(Buffer.from('ab'));
    expect(output.readNew()).toEqual({ text: 'ab', lossy: false });
    output.push(Buffer.from([0xe2, 0x82]));
    expect(output.readNew().text).toBe('');
    output.push(Buffer.from([0xac]));
    expect(output.readNew()).toEqual({ text: '€', lossy: false });

    for (const piece of ['12345', '67890']) output.push(Buffer.from(piece));

    expect(output.readNew()).toEqual({ text: '67890', lossy: true });
    expect(output.readNew()).toEqual({ text: '', lossy: false });
  });

  it('B11 N7 builds the environment from nothing and keeps secrets and code of config out', () => {
    const config = {
      API_TOKEN: 'x',
      MY_PASSWORD: 'x',
      NPM_KEY: 'yes',
      BASH_ENV: '/x',
      LD_PRELOAD: '/x',
      DSH_X: 'x',
      FLAG: '1',
    };

    const env = commandEnvironment({
      config,
      allowedNames: ['NPM_KEY'],
      env: { FLAG: '2' },
      dshEnv: { DSH_HOME: '/d' },
    });

    expect(env).toMatchObject({ FLAG: '2', NPM_KEY: 'yes', DSH_HOME: '/d', HOME: '/tmp/home', CI: '1' });
    for (const name of ['API_TOKEN', 'MY_PASSWORD', 'BASH_ENV', 'LD_PRELOAD', 'DSH_X'])
      expect(env).not.toHaveProperty(name);
  });
});

describe('sandbox', () => {
  it.each([
    [1, "touch: cannot touch 'x': Read-only file system", true],
    [1, 'TOUCH: READ-ONLY FILE SYSTEM', true],
    [1, 'bash: /etc/x: Permission denied', true],
    [1, 'cat: /workspace/secret: Permission denied', false],
    [255, 'git@host: Permission denied (publickey).', false],
    [0, 'touch: Read-only file system', false],
    [null, 'touch: Read-only file system', false],
  ])('N4 B7 B8 exit %s with %j: denied %s', (exitCode, stderr, denied) => {
    expect(isDenied({ exitCode, stderr })).toBe(denied);
  });
});
