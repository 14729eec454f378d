import { describe, expect, it } from '@jest/globals';
import { fileBench } from './file-bench.ts';

const editOf = (path: string, from = 'one', to = 'two') => ({ file_path: path, old_string: from, new_string: to });

describe('filesystem', () => {
  it('B12 refuses to edit or overwrite what the session has not read', async () => {
    const { bench, fs } = await fileBench({ 'a.txt': 'one' });

    const edit = await bench.failure('edit', editOf('a.txt'));
    const write = await bench.failure('write', { file_path: 'a.txt', content: 'new' });

    expect([edit.code, write.code]).toEqual(['FS_NOT_OBSERVED', 'FS_NOT_OBSERVED']);
    expect(fs.textOf('a.txt')).toBe('one');
  });

  it('B12 edits and overwrites after a read, and creates without one', async () => {
    const { bench, fs } = await fileBench({ 'a.txt': 'one', 'b.txt': 'one' });
    await bench.text('read', { file_path: 'a.txt' });
    await bench.text('read', { file_path: 'b.txt' });

    await bench.call('edit', editOf('a.txt'));
    await bench.call('write', { file_path: 'b.txt', content: 'three' });
    await bench.call('write', { file_path: 'new/c.txt', content: '' });

    expect([fs.textOf('a.txt'), fs.textOf('b.txt'), fs.textOf('new/c.txt')]).toEqual(['two', 'three', '']);
  });

  it('B12 refuses a file that changed since it was read', async () => {
    const { bench, fs } = await fileBench({ 'a.txt': 'one' });
    await bench.text('read', { file_path: 'a.txt' });
    fs.put('a.txt', 'one, changed by a command');

    const edit = await bench.failure('edit', editOf('a.txt'));
    const write = await bench.failure('write', { file_path: 'a.txt', content: 'new' });

    expect([edit.code, write.code]).toEqual(['FS_STALE_VERSION', 'FS_STALE_VERSION']);
    expect(fs.textOf('a.txt')).toBe('one, changed by a command');
  });

  it('B12 lets a call without an owner read and create, but not edit or overwrite', async () => {
    const { bench, fs } = await fileBench({ '/workspace/a.txt': 'one' });
    const nobody = { agent: null };

    expect(await bench.text('read', { file_path: 'a.txt' }, nobody)).toContain('1: one');
    expect(await bench.failure('edit', editOf('a.txt'), nobody)).toMatchObject({ code: 'FS_NOT_OBSERVED' });
    const overwriting = bench.failure('write', { file_path: 'a.txt', content: 'x' }, nobody);
    expect(await overwriting).toMatchObject({ code: 'FS_NOT_OBSERVED' });
    await bench.call('write', { file_path: 'b.txt', content: 'x' }, nobody);

    expect([fs.textOf('a.txt'), fs.textOf('b.txt')]).toEqual(['one', 'x']);
  });

  it('B13 accepts any window of the file as a read', async () => {
    const { bench, fs } = await fileBench({ 'a.txt': 'zero\nmiddle\none\n' });
    await bench.text('read', { file_path: 'a.txt', offset: 2, limit: 1 });

    await bench.call('edit', editOf('a.txt'));

    expect(fs.textOf('a.txt')).toBe('zero\nmiddle\ntwo\n');
  });

  it('B14 needs no new read after an own write or edit', async () => {
    const { bench, fs } = await fileBench({});

    await bench.call('write', { file_path: 'a.txt', content: 'one' });
    await bench.call('edit', editOf('a.txt'));
    await bench.call('edit', editOf('a.txt', 'two', 'three'));
    await bench.call('write', { file_path: 'a.txt', content: 'four' });

    expect(fs.textOf('a.txt')).toBe('four');
  });

  it('B14 N7 never counts the reads of another session', async () => {
    const { bench, fs } = await fileBench({ 'a.txt': 'one' });
    await bench.text('read', { file_path: 'a.txt' });

    const child = bench.newAgent('session-1');
    const { code } = await bench.failure('edit', editOf('a.txt'), { agent: child });

    expect(code).toBe('FS_NOT_OBSERVED');
    expect(fs.textOf('a.txt')).toBe('one');
  });

  it('B14 counts a read through any alias of the file', async () => {
    const { bench, fs } = await fileBench({ 'dir/a.txt': 'one' });
    fs.links.set('/workspace/alias.txt', 'dir/a.txt');
    await bench.text('read', { file_path: 'alias.txt' });

    await bench.call('edit', editOf('dir/../dir/a.txt'));

    expect(fs.textOf('dir/a.txt')).toBe('two');
  });

  it('B15 asks for the state of a file once per read and never in write and edit', async () => {
    const { bench, fs } = await fileBench({ 'a.txt': 'one' });
    const stats = () => fs.calls.filter((call) => call === 'stat').length;

    await bench.text('read', { file_path: 'a.txt' });
    expect(stats()).toBe(1);
    await bench.call('edit', editOf('a.txt'));
    await bench.call('write', { file_path: 'a.txt', content: 'x' });

    expect(stats()).toBe(1);
  });

  it('B16 records only what succeeded, and nothing of a plugin that uses the store itself', async () => {
    const { bench, fs, ctx } = await fileBench({ 'a.txt': 'one' });
    const seen: string[] = [];
    ctx.on('fs/observed', ({ displayPath }) => void seen.push(displayPath));

    await fs.readText(await fs.resolve('a.txt'));
    await bench.failure('read', { file_path: 'missing.txt' });
    await bench.failure('read', { file_path: 'a.txt', offset: 9 });
    await bench.failure('edit', editOf('a.txt'));
    expect(seen).toEqual([]);
    await bench.text('read', { file_path: 'a.txt' });
    await bench.failure('edit', editOf('a.txt', 'nowhere', 'x'));

    expect(seen).toEqual(['/workspace/a.txt']);
  });

  it('B12 lets a file that was read and then removed be created again, once its absence was seen', async () => {
    const { bench, fs } = await fileBench({ 'a.txt': 'one' });
    await bench.text('read', { file_path: 'a.txt' });
    fs.remove('a.txt');

    const write = { file_path: 'a.txt', content: 'again' };
    expect(await bench.failure('write', write)).toMatchObject({ code: 'FS_STALE_VERSION' });
    await bench.failure('read', { file_path: 'a.txt' });
    expect(await bench.failure('edit', editOf('a.txt'))).toMatchObject({ code: 'FS_NOT_FOUND' });
    await bench.call('write', write);

    expect(fs.textOf('a.txt')).toBe('again');
  });

  it('B12 leaves the tools unguarded where the policy is not mounted', async () => {
    const { bench, fs } = await fileBench({ 'a.txt': 'one', 'b.txt': 'one' }, { guarded: false });

    await bench.call('edit', editOf('a.txt'));
    await bench.call('write', { file_path: 'b.txt', content: 'three' });

    expect([fs.textOf('a.txt'), fs.textOf('b.txt')]).toEqual(['two', 'three']);
  });

  it('B18 checks arguments, policy, target, guard and store in this order', async () => {
    const { bench, fs, ctx } = await fileBench({ 'a.txt': 'one' }, { guarded: false });
    const order: string[] = [];
    ctx.provide('sandboxPolicy', {
      resolve: () => {
        order.push('policy');
        return { mode: 'workspace-write', workspaceRoot: '/workspace' };
      },
    } as never);
    ctx.on('fs/edit-intent', (_target, _actor, next) => {
      order.push(`intent after ${fs.calls.join()}`);
      return next();
    });
    ctx.on('fs/observed', () => void order.push(`observed ${fs.textOf('a.txt')}`));

    await bench.failure('edit', { ...editOf('a.txt'), old_string: '' });
    expect(order).toEqual([]);
    await bench.call('edit', editOf('a.txt'));

    expect(order).toEqual(['policy', 'intent after resolve', 'observed two']);
  });

  it('B18 lets the first listener that decides win', async () => {
    const { bench, fs, ctx } = await fileBench({ 'a.txt': 'one' }, { guarded: false });
    ctx.on('fs/write-intent', () => ({ kind: 'createIfAbsent' }));
    ctx.on('fs/write-intent', () => undefined);

    const { code } = await bench.failure('write', { file_path: 'a.txt', content: 'x' });

    expect(code).toBe('FS_NOT_OBSERVED');
    expect(fs.textOf('a.txt')).toBe('one');
  });
});
