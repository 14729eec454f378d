import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Context } from '../../../src/harness/kernel/context.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { encodeSpillName } from '../../../src/seams/spill/encode-spill-name.ts';
import { localSpill } from '../../../src/seams/spill/local-spill.ts';
import { LocalSpillStore } from '../../../src/seams/spill/local-spill-store.ts';
import type { SaveTextSpill } from '../../../src/seams/spill/spill-store.ts';
import { writePrivateFile } from '../../../src/seams/spill/write-private-file.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dsh-spill-test-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function input(content: string, changes: { session?: string; suggestedName?: string } = {}): SaveTextSpill {
  const { session = 'session-1', suggestedName = 'bash.txt' } = changes;
  return {
    owner: { sessionId: SessionId(session) },
    source: { toolName: 'bash', callId: CallId('call-1'), label: 'result' },
    suggestedName,
    content,
  };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
const hashOf = (session: string) => createHash('sha256').update(session).digest('hex').slice(0, 12);

describe('spill', () => {
  it('SP1 stores the content verbatim and answers where, how many bytes, and how to read it', async () => {
    const content = '\uFEFFé\r\n😀\0\n\n';

    const { locator, bytes, retrievalHint } = await new LocalSpillStore({ root }).saveText(input(content));

    expect(await readFile(locator, 'utf8')).toBe(content);
    expect(bytes).toBe((await stat(locator)).size);
    expect(retrievalHint).toMatch(/read.*grep/);
  });

  it('SP1 rejects when the text cannot be stored', async () => {
    await writeFile(join(root, 'file'), '');

    await expect(new LocalSpillStore({ root: join(root, 'file') }).saveText(input('x'))).rejects.toThrow(
      /EEXIST|ENOTDIR/,
    );
  });

  it('SP1 can only save', () => {
    expect(Object.getOwnPropertyNames(LocalSpillStore.prototype)).toEqual(['constructor', 'saveText']);
  });

  it('SP2 equal texts of one name get files of their own; the name is no path', async () => {
    const store = new LocalSpillStore({ root });

    const refs = await Promise.all(
      Array.from({ length: 20 }, () => store.saveText(input('x', { suggestedName: '../../etc/passwd' }))),
    );

    expect(new Set(refs.map(({ locator }) => locator)).size).toBe(20);
    expect(new Set(refs.map(({ locator }) => dirname(locator)))).toEqual(
      new Set([join(root, `session-${hashOf('session-1')}`)]),
    );
    expect(basename(refs[0]!.locator)).toMatch(/-\.\.~002F\.\.~002Fetc~002Fpasswd$/);
  });

  it('SP2 a name of any length can be stored', async () => {
    const { locator } = await new LocalSpillStore({ root }).saveText(input('x', { suggestedName: 'ü'.repeat(1_000) }));

    expect(await readFile(locator, 'utf8')).toBe('x');
  });

  it('SP3 a forked session reads what it inherited, and stores under its own id', async () => {
    const store = new LocalSpillStore({ root });
    const inherited = await store.saveText(input('of the parent', { session: 'parent' }));

    const own = await store.saveText(input('of the child', { session: 'child' }));

    expect(await readFile(inherited.locator, 'utf8')).toBe('of the parent');
    expect(await readdir(join(root, `session-${hashOf('child')}`))).toEqual([basename(own.locator)]);
    expect(await readdir(join(root, `session-${hashOf('parent')}`))).toEqual([basename(inherited.locator)]);
  });

  it('SP4 lays files out as <root>/session-<hash>/<random>-<name>', async () => {
    const { locator } = await new LocalSpillStore({ root }).saveText(input('x', { session: '../evil' }));

    expect(locator.slice(root.length)).toMatch(new RegExp(`^/session-${hashOf('../evil')}/[0-9a-f]{12}-bash\\.txt$`));
  });

  it('SP4 names files as the tools of the session see them, where that is elsewhere', async () => {
    const { locator } = await new LocalSpillStore({ root, seenAt: '/dsh/spill' }).saveText(input('x'));

    expect(locator).toMatch(/^\/dsh\/spill\/session-/);
    expect(await readFile(join(root, locator.slice('/dsh/spill'.length)), 'utf8')).toBe('x');
  });

  it('SP5 without a root, one private directory of the process is made when it is needed', async () => {
    const ctx = new Context();
    await ctx.plugin(localSpill);
    const before = await readdir(tmpdir());

    const first = await ctx.spillStore.saveText(input('x'));
    const second = await new LocalSpillStore().saveText(input('y'));

    const made = dirname(dirname(first.locator));
    expect(before).not.toContain(basename(made));
    expect(dirname(made)).toBe(tmpdir());
    expect(dirname(dirname(second.locator))).toBe(made);
    expect(await modeOf(made)).toBe(0o700);
    await rm(made, { recursive: true });
  });

  it('SP5 directories are 0700 and files 0600', async () => {
    const inner = join(root, 'made', 'deep');

    const { locator } = await new LocalSpillStore({ root: inner }).saveText(input('x'));

    const modes = [join(root, 'made'), inner, dirname(locator), locator].map(modeOf);
    expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o700, 0o600]);
  });

  it.each([
    [
      'a link',
      async (path: string) => (await mkdir(join(root, 'other'), { mode: 0o700 }), await symlink('other', path)),
    ],
    ['a directory that others can enter', async (path: string) => (await mkdir(path), await chmod(path, 0o755))],
    ['a file', (path: string) => writeFile(path, '')],
  ])('SP5 refuses to store in %s that somebody put in the place of its directory', async (_what, plant) => {
    await plant(join(root, `session-${hashOf('session-1')}`));

    await expect(new LocalSpillStore({ root }).saveText(input('x'))).rejects.toMatchObject({
      code: 'SPILL_NOT_PRIVATE',
    });
  });

  it('SP5 opens no path that exists, be it a file, a link or a link to nothing', async () => {
    const owner = { uid: process.getuid!(), gid: process.getgid!() };
    await writeFile(join(root, 'file'), 'old');
    await symlink('file', join(root, 'link'));
    await symlink('nothing', join(root, 'dangling'));

    for (const name of ['file', 'link', 'dangling']) {
      await expect(writePrivateFile(join(root, name), 'new', owner)).rejects.toThrow(/EEXIST/);
    }
    expect(await readFile(join(root, 'file'), 'utf8')).toBe('old');
    expect(await readdir(root)).not.toContain('nothing');
  });

  it.each([
    ['bash.txt', 'bash.txt'],
    ['', '~'],
    ['.', '~002E'],
    ['..', '~002E~002E'],
    ['...', '...'],
    ['a/b', 'a~002Fb'],
    ['~', '~007E'],
    ['😀', '~D83D~DE00'],
  ])('SP6 encodes %j as %j', (name, encoded) => {
    expect(encodeSpillName(name)).toBe(encoded);
  });

  it('SP6 no two names share an encoding: each can be told from it', () => {
    const decode = (encoded: string) =>
      encoded === '~' ? '' : encoded.replace(/~(.{4})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));

    fc.assert(
      fc.property(fc.string({ unit: fc.integer({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }), (name) => {
        expect(encodeSpillName(name)).toMatch(/^[A-Za-z0-9._~-]+$/);
        expect(decode(encodeSpillName(name))).toBe(name);
      }),
    );
  });

  it('SP7 what is stored stays when the plugin is unloaded', async () => {
    const ctx = new Context();
    await ctx.plugin(localSpill, { root });
    const { locator } = await ctx.spillStore.saveText(input('x'));

    await ctx.fiber.dispose();

    expect(await readFile(locator, 'utf8')).toBe('x');
  });

  it('SP1 secrets are taken out before anything is stored', async () => {
    const store = new LocalSpillStore({ root, redact: (text) => text.replaceAll('s3cret', '***') });

    const { locator, bytes } = await store.saveText(input('a s3cret b'));

    expect(await readFile(locator, 'utf8')).toBe('a *** b');
    expect(bytes).toBe('a *** b'.length);
  });
});
