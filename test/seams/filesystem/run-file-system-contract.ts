import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FileSystem, FsTarget } from '../../../src/seams/filesystem/file-system.ts';
import type { SandboxMode } from '../../../src/seams/sandbox/types.ts';

/** `put`, `peek`, `link` and `remove` act on the store from outside; their paths are relative to `root`. */
export interface FileSystemFixture {
  fs: FileSystem;
  root: string;
  put(path: string, content: string | Uint8Array): Promise<void>;
  /** The bytes, as text. */
  peek(path: string): Promise<string | undefined>;
  link(path: string, target: string): Promise<void>;
  remove(path: string): Promise<void>;
  close(): Promise<void>;
}

/** `encodings`: whether the store knows more than UTF-8. */
export interface FileSystemContractOptions {
  encodings?: boolean;
}

/** What every file store does. */
export function runFileSystemContract(
  title: string,
  make: () => Promise<FileSystemFixture>,
  { encodings = false }: FileSystemContractOptions = {},
): void {
  describe('filesystem', () => {
    describe(title, () => {
      let fixture: FileSystemFixture;
      beforeEach(async () => {
        fixture = await make();
      });
      afterEach(() => fixture.close());

      const at = (path: string): Promise<FsTarget> => fixture.fs.resolve(path, { cwd: fixture.root });
      const policy = (mode: SandboxMode) => ({ mode, workspaceRoot: fixture.root });
      const edit = async (path: string, oldString: string, newString: string, replaceAll = false) =>
        fixture.fs.editText(await at(path), { oldString, newString, replaceAll });

      it('B1 gives one key to every alias of a file', async () => {
        await fixture.put('dir/file.txt', 'x');
        await fixture.link('alias.txt', 'dir/file.txt');
        await fixture.link('there', 'dir');

        const keys = await Promise.all(
          ['dir/file.txt', 'dir/../dir/./file.txt', 'alias.txt', 'there/file.txt', `${fixture.root}/dir/file.txt`].map(
            async (path) => (await at(path)).targetKey,
          ),
        );

        expect(new Set(keys).size).toBe(1);
      });

      it('B1 keeps the key of a missing file when it is created', async () => {
        await fixture.put('dir/other.txt', 'x');
        await fixture.link('there', 'dir');
        const before = await at('there/new/file.txt');

        await fixture.fs.writeText(before, 'text');

        expect((await at('dir/new/file.txt')).targetKey).toBe(before.targetKey);
      });

      it.each(['', '   ', 'file.txt/below'])('B1 finds nothing at %j', async (path) => {
        await fixture.put('file.txt', 'x');

        await expect(at(path).then((target) => fixture.fs.readText(target))).rejects.toMatchObject({
          code: 'FS_NOT_FOUND',
        });
      });

      it('B2 ignores the cwd for an absolute path', async () => {
        await fixture.put('file.txt', 'x');

        const absolute = await fixture.fs.resolve(`${fixture.root}/file.txt`, { cwd: '/tmp' });

        expect(await fixture.fs.readText(absolute)).toBe('x');
      });

      it('B3 changes the version with the content, also at the same size', async () => {
        await fixture.put('file.txt', 'one');
        const target = await at('file.txt');
        const before = await fixture.fs.stat(target);

        await fixture.put('file.txt', 'two');

        expect((await fixture.fs.stat(target))?.version).not.toBe(before?.version);
      });

      it('B3 keeps the version while nothing changes', async () => {
        await fixture.put('file.txt', 'one');
        const target = await at('file.txt');

        const [first, second] = [await fixture.fs.stat(target), await fixture.fs.stat(target)];

        expect(second).toEqual(first);
        expect(first).toMatchObject({ type: 'file', size: 3 });
      });

      it('B4 refuses binary files and directories as text', async () => {
        await fixture.put('dir/binary', 'a\0b');

        await expect(fixture.fs.readText(await at('dir/binary'))).rejects.toMatchObject({ code: 'FS_NOT_TEXT' });
        await expect(fixture.fs.readText(await at('dir'))).rejects.toMatchObject({ code: 'FS_NOT_REGULAR_FILE' });
      });

      it('B4 streams the same text as it reads', async () => {
        const text = 'zeile mit ä und 漢字\n'.repeat(5_000);
        await fixture.put('long.txt', text);
        const target = await at('long.txt');

        const pieces: string[] = [];
        for await (const piece of await fixture.fs.streamText(target)) pieces.push(piece);

        expect(pieces.join('') === text).toBe(true);
        expect((await fixture.fs.readText(target)) === text).toBe(true);
      });

      it('B4 keeps a byte order mark over an edit', async () => {
        await fixture.put('bom.txt', '\uFEFFone\ntwo\n');

        await edit('bom.txt', 'two', 'zwei');

        expect(await fixture.peek('bom.txt')).toBe('\uFEFFone\nzwei\n');
      });

      if (encodings) {
        it('B4 edits Latin-1 and UTF-16 and leaves the other bytes as they are', async () => {
          await fixture.put('latin1.txt', Buffer.from('caf\xe9\nold\n', 'latin1'));
          await fixture.put('utf16.txt', Buffer.from('\uFEFFcafé\nold\n', 'utf16le'));

          await edit('latin1.txt', 'old', 'n\xe9w');
          await edit('utf16.txt', 'old', 'néw');

          expect(await fixture.fs.readDecoded(await at('latin1.txt'))).toEqual({
            text: 'café\nnéw\n',
            encoding: 'latin1',
          });
          expect((await fixture.fs.readDecoded(await at('utf16.txt'))).encoding).toBe('utf-16le');
          expect(await fixture.fs.readText(await at('utf16.txt'))).toMatch(/café\nnéw\n$/);
        });
      }

      it('B5 lists direct children in a stable order', async () => {
        await fixture.put('dir/b.txt', 'b');
        await fixture.put('dir/a/deep.txt', 'x');
        await fixture.link('dir/broken', 'nowhere');

        const entries = await fixture.fs.listDir(await at('dir'));

        expect(entries.map(({ name, type }) => [name, type])).toEqual([
          ['a', 'directory'],
          ['b.txt', 'file'],
          ['broken', 'other'],
        ]);
        expect(entries[1]?.target.targetKey).toBe((await at('dir/b.txt')).targetKey);
      });

      it('B5 does not list a file', async () => {
        await fixture.put('file.txt', 'x');

        await expect(fixture.fs.listDir(await at('file.txt'))).rejects.toMatchObject({ code: 'FS_NOT_DIRECTORY' });
      });

      it('B6 creates only what is absent when told so', async () => {
        const target = await at('new/file.txt');
        const created = await fixture.fs.writeText(target, 'one', { kind: 'createIfAbsent' });
        expect(created).toMatchObject({ operation: 'create', before: null, after: 'one' });

        const again = fixture.fs.writeText(target, 'two', { kind: 'createIfAbsent' });

        await expect(again).rejects.toMatchObject({ code: 'FS_NOT_OBSERVED' });
        expect(await fixture.peek('new/file.txt')).toBe('one');
      });

      it('B6 replaces only the version it was told', async () => {
        await fixture.put('file.txt', 'one');
        const target = await at('file.txt');
        const seen = (await fixture.fs.stat(target))!.version;
        await fixture.put('file.txt', 'two');

        const stale = fixture.fs.writeText(target, 'three', { kind: 'replaceIfVersion', version: seen });
        await expect(stale).rejects.toMatchObject({ code: 'FS_STALE_VERSION' });
        await fixture.remove('file.txt');
        const gone = fixture.fs.writeText(target, 'three', { kind: 'replaceIfVersion', version: seen });
        await expect(gone).rejects.toMatchObject({ code: 'FS_STALE_VERSION' });

        expect(await fixture.peek('file.txt')).toBeUndefined();
      });

      it('B6 returns the version that a later guarded write needs', async () => {
        const target = await at('file.txt');
        const first = await fixture.fs.writeText(target, 'one');

        const second = await fixture.fs.writeText(target, 'two', { kind: 'replaceIfVersion', version: first.version });

        expect(second).toMatchObject({ operation: 'update', before: 'one', after: 'two' });
        expect((await fixture.fs.stat(target))?.version).toBe(second.version);
      });

      it('B7 replaces literal text and expands nothing', async () => {
        await fixture.put('file.txt', 'a.c abc');

        await edit('file.txt', 'a.c', '$& $1 \\n');

        expect(await fixture.peek('file.txt')).toBe('$& $1 \\n abc');
      });

      it('B7 tells a text that is not there from one that is there twice', async () => {
        await fixture.put('file.txt', 'one two one');

        await expect(edit('file.txt', 'three', 'x')).rejects.toMatchObject({ code: 'FS_EDIT_NOT_FOUND' });
        await expect(edit('file.txt', 'one', 'x')).rejects.toMatchObject({ code: 'FS_AMBIGUOUS_EDIT' });
        await edit('file.txt', 'one', 'x', true);

        expect(await fixture.peek('file.txt')).toBe('x two x');
      });

      it('B7 finds a stale version before it looks for the text, also when the file is gone', async () => {
        await fixture.put('file.txt', 'one');
        const target = await at('file.txt');
        const version = (await fixture.fs.stat(target))!.version;
        const request = { oldString: 'missing', newString: 'x', replaceAll: false };
        await fixture.put('file.txt', 'two');

        await expect(fixture.fs.editText(target, request, { version })).rejects.toMatchObject({
          code: 'FS_STALE_VERSION',
        });
        await fixture.remove('file.txt');
        await expect(fixture.fs.editText(target, request)).rejects.toMatchObject({ code: 'FS_STALE_VERSION' });
      });

      it('B8 keeps the ending of every line that an edit does not replace', async () => {
        await fixture.put('mixed.txt', 'one\r\ntwo\nthree\r\nfour');

        await edit('mixed.txt', 'three\nfour', 'drei\nmore\nfour');

        expect(await fixture.peek('mixed.txt')).toBe('one\r\ntwo\ndrei\r\nmore\r\nfour');
      });

      it('B8 writes over a CRLF file with CRLF', async () => {
        await fixture.put('crlf.txt', 'one\r\ntwo\r\n');

        const outcome = await fixture.fs.writeText(await at('crlf.txt'), 'eins\nzwei\n');

        expect(await fixture.peek('crlf.txt')).toBe('eins\r\nzwei\r\n');
        expect(outcome).toMatchObject({ before: 'one\ntwo\n', after: 'eins\nzwei\n' });
      });

      it('B9 lets one of many guarded writers win and the others be stale', async () => {
        await fixture.put('file.txt', 'start');
        const target = await at('file.txt');
        const version = (await fixture.fs.stat(target))!.version;

        const settled = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) =>
            fixture.fs.writeText(target, `writer ${index}`, { kind: 'replaceIfVersion', version }),
          ),
        );

        const lost = settled.filter((result) => result.status === 'rejected');
        expect(lost.map(({ reason }) => (reason as { code: string }).code)).toEqual(Array(19).fill('FS_STALE_VERSION'));
        expect(await fixture.peek('file.txt')).toMatch(/^writer \d+$/);
      });

      it('B9 loses no edit of fifty at the same time', async () => {
        const names = Array.from({ length: 50 }, (_, index) => `<${index}>`);
        await fixture.put('file.txt', names.join('\n'));

        await Promise.all(names.map((name) => edit('file.txt', name, name.replace('<', '<done '))));

        expect((await fixture.peek('file.txt'))?.match(/<done \d+>/g)).toHaveLength(50);
      });

      it('B10 changes the file a link points to and keeps the link', async () => {
        await fixture.put('real.txt', 'one');
        await fixture.link('alias.txt', 'real.txt');

        await fixture.fs.writeText(await at('alias.txt'), 'two');

        expect(await fixture.peek('real.txt')).toBe('two');
        expect(await fixture.fs.lstat('alias.txt', { cwd: fixture.root })).toMatchObject({ type: 'symlink' });
      });

      it('B10 writes nothing once aborted', async () => {
        const target = await at('file.txt');

        const writing = fixture.fs.writeText(target, 'text', undefined, AbortSignal.abort());

        await expect(writing).rejects.toMatchObject({ code: 'FS_ABORTED' });
        expect(await fixture.peek('file.txt')).toBeUndefined();
      });

      it('B11 has no before for binary content, and writes nevertheless', async () => {
        await fixture.put('file', 'a\0b');

        const outcome = await fixture.fs.writeText(await at('file'), 'text');

        expect(outcome).toMatchObject({ operation: 'update', before: null, after: 'text' });
        expect(await fixture.peek('file')).toBe('text');
      });

      it('B17 denies every mutation in read-only mode, and no read', async () => {
        await fixture.put('file.txt', 'one');
        const target = await at('file.txt');
        const request = { oldString: 'one', newString: 'two', replaceAll: false };

        const denied = { code: 'FS_SANDBOX_DENIED' };
        const writing = fixture.fs.writeText(target, 'x', undefined, undefined, policy('read-only'));
        await expect(writing).rejects.toMatchObject(denied);
        const editing = fixture.fs.editText(target, request, undefined, undefined, policy('read-only'));
        await expect(editing).rejects.toMatchObject(denied);

        expect(await fixture.fs.readText(target)).toBe('one');
      });

      it('B17 lets a workspace write stay inside, also behind a link', async () => {
        await fixture.link('out', '/etc');
        const inside = await at('file.txt');
        const outside = await at('out/dsh-contract.txt');

        await fixture.fs.writeText(inside, 'text', undefined, undefined, policy('workspace-write'));
        const denied = fixture.fs.writeText(outside, 'text', undefined, undefined, policy('workspace-write'));

        await expect(denied).rejects.toMatchObject({ code: 'FS_SANDBOX_DENIED' });
        expect(await fixture.peek('file.txt')).toBe('text');
      });
    });
  });
}
