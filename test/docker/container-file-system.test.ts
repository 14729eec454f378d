import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../../src/docker/agent-client.ts';
import { ContainerFileSystem } from '../../src/docker/filesystem/container-file-system.ts';
import { decodeText, encodeText } from '../../src/docker/filesystem/text-encoding.ts';
import type { Sandbox } from '../../src/docker/sandbox.ts';
import type { FsTarget } from '../../src/seams/filesystem/file-system.ts';
import { giveTo, openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

let bench: SandboxBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());
afterEach(async () => {
  await shell('chmod -R u+rwx . ; rm -rf ./* /tmp/case*');
});

const at = (path: string): Promise<FsTarget> => bench.fs.resolve(path);
const onHost = (path: string): string => join(bench.tree, path);
const peek = (path: string): string => readFileSync(onHost(path), 'latin1');

async function put(path: string, content: string | Uint8Array): Promise<void> {
  mkdirSync(join(onHost(path), '..'), { recursive: true });
  writeFileSync(onHost(path), content);
  await giveTo(bench.sandbox.uid, bench.tree);
}

async function shell(command: string): Promise<string> {
  const bash = bench.bash();
  const { stdout, stderr } = await bash.run(bash.resolve({ command }));
  return stdout.text + stderr.text;
}

async function edit(path: string, oldString: string, newString: string): Promise<void> {
  await bench.fs.editText(await at(path), { oldString, newString, replaceAll: false });
}

describe('filesystem', () => {
  it('N1 X10 sees links as the container does, and writes through none that leads out of the tree', async () => {
    await shell('ln -s /etc/passwd link; ln -s /etc docs');

    expect((await at('link')).targetKey).toBe('/etc/passwd');
    expect(await bench.fs.readText(await at('link'))).toMatch(/^root:/);
    for (const path of ['link', 'docs/x']) {
      await expect(bench.fs.writeText(await at(path), 'x')).rejects.toMatchObject({ code: 'FS_SANDBOX_DENIED' });
    }
  });

  it('N1 gives versions of device, inode, size and times to the nanosecond', async () => {
    await put('a.txt', 'abc');

    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(onHost('a.txt'), { bigint: true });

    expect((await bench.fs.stat(await at('a.txt')))?.version).toBe([dev, ino, size, mtimeNs, ctimeNs].join(':'));
  });

  it('B3 sees a change that puts size and modification time back', async () => {
    await put('a.txt', 'one');
    const target = await at('a.txt');
    const before = await bench.fs.stat(target);

    await shell('touch -r a.txt /tmp/case-stamp; echo -n two > a.txt; touch -r /tmp/case-stamp a.txt');

    const after = await bench.fs.stat(target);
    expect(statSync(onHost('a.txt')).size).toBe(3);
    expect(after?.version).not.toBe(before?.version);
  });

  it('N2 B17 denies writes early in a read-only sandbox, and the mount is the second line', async () => {
    const readOnly = await openBench({ mode: 'read-only' }, { 'a.txt': 'one' });
    const agent = await readOnly.sandbox.agent();
    const target = await readOnly.fs.resolve('a.txt');

    const denied = { code: 'FS_SANDBOX_DENIED' };
    await expect(readOnly.fs.writeText(target, 'two')).rejects.toMatchObject(denied);
    const request = { op: 'write', path: '/workspace/a.txt', intent: { kind: 'any' }, roots: ['/workspace'] } as const;
    await expect(agent.call(request, { body: Buffer.from('two') })).rejects.toMatchObject(denied);
    expect(readOnly.fs.sandboxMode).toBe('read-only');
    expect(readFileSync(join(readOnly.tree, 'a.txt'), 'utf8')).toBe('one');
    await readOnly.close();
  });

  it('N2 refuses a write for which the call would need another network', async () => {
    const policy = { mode: 'workspace-write', workspaceRoot: '/workspace', network: 'full' } as const;

    const write = bench.fs.writeText(await at('a.txt'), 'x', undefined, undefined, policy);

    await expect(write).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  });

  it('N2 looks at the folder again at the moment of writing', async () => {
    await put('dir/a.txt', 'inside');
    const target = await at('dir/a.txt');

    await shell('mkdir /tmp/case && echo outside > /tmp/case/a.txt && mv dir old && ln -s /etc dir');

    await expect(bench.fs.writeText(target, 'x')).rejects.toMatchObject({ code: 'FS_SANDBOX_DENIED' });
    expect(peek('old/a.txt')).toBe('inside');
  });

  it('N3 fails to write below the git directory by construction', async () => {
    const gitDir = `${bench.tree}-git`;
    mkdirSync(gitDir);
    writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
    const other = await openBench({ gitDir });

    const write = other.fs.resolve('.git/hooks/pre-push').then((target) => other.fs.writeText(target, 'x'));

    await expect(write).rejects.toMatchObject({
      code: expect.stringMatching(/FS_(SANDBOX|PERMISSION)_DENIED/) as unknown,
    });
    await other.close();
    rmSync(gitDir, { recursive: true });
  });

  it('N4 reads again in a new container when the first is lost', async () => {
    const other = await openBench({}, { 'a.txt': 'kept' });
    const target = await other.fs.resolve('a.txt');
    const [first] = await other.containers();
    const container = other.docker.getContainer(first!.Id);
    await container.pause();
    const reading = other.fs.readText(target);
    await sleep(100);

    await container.remove({ force: true });

    expect(await reading).toBe('kept');
    await other.close();
  });

  it('N4 says that a write may have happened when the container is lost during it, and does not repeat it', async () => {
    const other = await openBench({}, { 'a.txt': 'kept' });
    const asked: string[] = [];
    const losing: Sandbox = {
      ...other.sandbox,
      close: () => other.sandbox.close(),
      async agent() {
        const agent = await other.sandbox.agent();
        const call: AgentClient['call'] = (request, options) => {
          asked.push(request.op);
          const answer = agent.call(request, options);
          if (request.op === 'write') agent.lose('the test took it away');
          return answer;
        };
        return Object.assign(Object.create(agent) as AgentClient, { call });
      },
    };
    const fs = new ContainerFileSystem({ mode: 'workspace-write', sandbox: Promise.resolve(losing) });

    const writing = fs.writeText(await other.fs.resolve('a.txt'), 'new');

    await expect(writing).rejects.toMatchObject({
      code: 'FS_IO_ERROR',
      message: expect.stringMatching(/may have been written \(now: \d bytes\)/) as unknown,
    });
    expect(asked).toEqual(['read', 'write', 'stat']);
    await other.close();
  });

  it('N10 B10 makes new files 0644 and keeps the mode of others, without set-id bits', async () => {
    await put('tool.sh', '#!/bin/sh\n');
    chmodSync(onHost('tool.sh'), 0o4755);

    await bench.fs.writeText(await at('new/dir/a.txt'), 'x');
    await edit('tool.sh', 'sh', 'bash');

    expect(statSync(onHost('new/dir/a.txt')).mode & 0o7777).toBe(0o644);
    expect(statSync(onHost('tool.sh')).mode & 0o7777).toBe(0o755);
    expect(await shell('find . -name ".dsh-*"')).toBe('');
  });

  it('N10 refuses to write more than 5 MiB and cuts a listing at 10,000 entries, saying so', async () => {
    const write = bench.fs.writeText(await at('big.txt'), 'x'.repeat(5 * 1024 * 1024 + 1));
    await expect(write).rejects.toMatchObject({ code: 'FS_IO_ERROR' });
    await shell('mkdir many && cd many && seq 10005 | xargs touch');

    const entries = await bench.fs.listDir(await at('many'));

    expect(entries).toHaveLength(10_001);
    expect(entries.at(-1)?.name).toBe('[5 more entries are not listed]');
  });

  it('N11 leaves the other name of a hard link alone', async () => {
    await shell('echo outside > /tmp/case && cp /tmp/case a.txt && ln a.txt b.txt');

    await edit('a.txt', 'outside', 'changed');

    expect([peek('a.txt'), peek('b.txt')]).toEqual(['changed\n', 'outside\n']);
  });

  it('N11 keeps case-folded twins apart and writes a file again that was deleted', async () => {
    await put('Name.txt', 'upper');
    await put('name.txt', 'lower');
    expect((await at('Name.txt')).targetKey).not.toBe((await at('name.txt')).targetKey);

    rmSync(onHost('name.txt'));
    const outcome = await bench.fs.writeText(await at('name.txt'), 'again', { kind: 'createIfAbsent' });

    expect(outcome.operation).toBe('create');
    expect([peek('Name.txt'), peek('name.txt')]).toEqual(['upper', 'again']);
  });

  it('N11 B4 reads a NUL at byte 9,000 and does not edit it', async () => {
    await put('late.txt', `${'x'.repeat(9_000)}\0 end`);

    expect(await bench.fs.readText(await at('late.txt'))).toMatch(/\0 end$/);
    await expect(edit('late.txt', 'end', 'x')).rejects.toMatchObject({ code: 'FS_NOT_TEXT' });
  });

  it('N11 B19 streams a line of 20 MB and refuses to read it at once', async () => {
    await shell("head -c 20000000 /dev/zero | tr '\\0' x > line.txt");
    const target = await at('line.txt');

    let length = 0;
    for await (const piece of await bench.fs.streamText(target)) length += piece.length;

    expect(length).toBe(20_000_000);
    await expect(bench.fs.readText(target)).rejects.toMatchObject({ code: 'FS_IO_ERROR' });
  });

  it('N11 B4 edits Latin-1 and UTF-16 without touching the other bytes', async () => {
    await put('latin1.txt', Buffer.from('caf\xe9 \x80\r\nold\r\n', 'latin1'));
    const utf16 = Buffer.from('\uFEFFä old\r\n', 'utf16le').swap16();
    await put('utf16.txt', utf16);

    await edit('latin1.txt', 'old', 'new');
    await edit('utf16.txt', 'old', 'new');

    expect(peek('latin1.txt')).toBe('caf\xe9 \x80\r\nnew\r\n');
    expect(readFileSync(onHost('utf16.txt'))).toEqual(Buffer.from('\uFEFFä new\r\n', 'utf16le').swap16());
    await expect(edit('latin1.txt', 'new', '漢')).rejects.toMatchObject({ code: 'FS_NOT_TEXT' });
  });

  it.each([
    ['a NUL near the beginning', Buffer.from('a\0b')],
    ['many control characters', Buffer.from('\x01\x02abc')],
    ['Latin-1 with a late NUL', Buffer.concat([Buffer.alloc(9_000, 'x'), Buffer.from([0xe9, 0])])],
  ])('B4 takes %s for binary', (_title, bytes) => {
    expect(() => decodeText(bytes)).toThrow(expect.objectContaining({ code: 'FS_NOT_TEXT' }));
  });

  it('B4 writes back byte for byte whatever it reads', () => {
    for (const bytes of [
      Buffer.from('\uFEFFa'),
      Buffer.from('caf\xe9', 'latin1'),
      Buffer.from('\uFEFFab', 'utf16le'),
    ]) {
      const { text, encoding } = decodeText(bytes);

      expect(encodeText(text, encoding)).toEqual(bytes);
    }
  });

  it('B4 refuses a stream that is not UTF-8, and pipes and devices', async () => {
    await put('latin1.txt', Buffer.concat([Buffer.alloc(300_000, 'x'), Buffer.from([0xe9, 0x20])]));
    const read = async () => {
      for await (const piece of await bench.fs.streamText(await at('latin1.txt'))) void piece;
    };
    await expect(read()).rejects.toMatchObject({ code: 'FS_NOT_TEXT' });
    await shell('mkfifo pipe');

    for (const path of ['pipe', '/dev/zero', '/proc/self/fd/0']) {
      await expect(bench.fs.readText(await at(path))).rejects.toMatchObject({ code: /FS_NOT_REGULAR_FILE/ });
    }
  });

  it('B5 fails a listing that cannot look at a child, or may not be read', async () => {
    await put('dir/a.txt', 'x');
    await shell('chmod 600 dir');
    await expect(bench.fs.listDir(await at('dir'))).rejects.toMatchObject({ code: 'FS_PERMISSION_DENIED' });
    await shell('chmod 000 dir');

    await expect(bench.fs.listDir(await at('dir'))).rejects.toMatchObject({ code: 'FS_PERMISSION_DENIED' });
  });

  it('B5 B1 lists a link that leads to itself as something else, and knows no such file', async () => {
    await shell('mkdir dir; ln -s loop dir/loop; ln -s ../dir/loop dir/other; echo x > dir/file');

    const listed = await bench.fs.listDir(await at('dir'));

    expect(listed.map(({ name, type }) => [name, type])).toEqual([
      ['file', 'file'],
      ['loop', 'other'],
      ['other', 'other'],
    ]);
    await expect(at('dir/loop')).rejects.toMatchObject({ code: 'FS_NOT_FOUND' });
  });

  it('N10 cuts a listing whose names are too long for one answer, saying so', async () => {
    await shell(
      `python3 -c "import os; os.mkdir('dir'); [open('dir/' + '\x01' * 245 + '%05d' % i, 'w') for i in range(7000)]"`,
    );

    const listed = await bench.fs.listDir(await at('dir'));

    expect(listed.length).toBeLessThan(7_000);
    expect(listed.at(-1)!.name).toBe(`[${7_000 - (listed.length - 1)} more entries are not listed]`);
  });

  it('B6 makes a file only once although two create it at the same moment from two sides', async () => {
    const agent = await bench.sandbox.agent();
    const create = (text: string) =>
      agent.call(
        { op: 'write', path: '/workspace/new.txt', intent: { kind: 'absent' }, roots: ['/workspace'] },
        { body: Buffer.from(text) },
      );

    const settled = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => create(`${index}`)));

    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(peek('new.txt')).toMatch(/^\d$/);
  });

  it('B10 X10 keeps hard links to the outside and links in the tree from being written through', async () => {
    const outside = `${bench.tree}-outside`;
    writeFileSync(outside, 'secret');
    linkSync(outside, onHost('hard.txt'));
    symlinkSync('hard.txt', onHost('soft.txt'));
    await giveTo(bench.sandbox.uid, bench.tree);

    await bench.fs.writeText(await at('soft.txt'), 'mine');

    expect([readFileSync(outside, 'utf8'), peek('hard.txt')]).toEqual(['secret', 'mine']);
    rmSync(outside);
  });
});

describe('cases', () => {
  it('L1 shows the file tools the same /proc as bash, with nothing secret in it', async () => {
    const text = await bench.fs.readText(await at('/proc/1/environ')).catch((cause: { code: string }) => cause.code);

    expect(text === 'FS_NOT_TEXT' || !/TOKEN|KEY|SECRET/.test(text)).toBe(true);
  });
});
