import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ContainerBashConfig } from '../../src/docker/bash/container-bash.ts';
import { BASH_SPAWN_FAILED } from '../../src/seams/bash/executor.ts';
import type { BashExecRequest, BashRunResult } from '../../src/seams/bash/executor.ts';
import { openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

let bench: SandboxBench;
let spillDir: string;
beforeAll(async () => {
  spillDir = mkdtempSync(join(tmpdir(), 'dsh-spill-'));
  bench = await openBench({ spillDir, limits: { processes: 128, memoryBytes: 512 * 1024 ** 2 } });
});
afterAll(async () => {
  await bench.close();
  rmSync(spillDir, { recursive: true });
});
afterEach(() => run('pkill -KILL -u "$(id -u)" sleep; true'));

function run(
  command: string,
  request: Partial<BashExecRequest> = {},
  config: ContainerBashConfig = {},
): Promise<BashRunResult> {
  const bash = bench.bash(config);
  return bash.run(bash.resolve({ command, ...request }));
}

/** Command lines of what still runs inside. */
async function processes(): Promise<string> {
  return (await run("ps -eo stat,args | grep -v '^Z' | cut -c 1-200")).stdout.text;
}

describe('bash', () => {
  it('B6 N2 ends the whole group: a child that ignores TERM dies by KILL', async () => {
    const command = "(trap '' TERM; while :; do sleep 0.1; done) & trap '' TERM; sleep 61 & wait; wait";

    const result = await run(command, { timeoutMs: 300 });

    expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL', exitCode: null });
    expect(await processes()).not.toMatch(/sleep (61|0\.1)/);
  });

  it('N2 finds children that left the group and the session', async () => {
    const result = await run('setsid sleep 62 & (setsid bash -c "sleep 63 & exit" &) ; sleep 64', { timeoutMs: 400 });

    expect(result.timedOut).toBe(true);
    expect(await processes()).not.toMatch(/sleep 6[234]/);
  });

  it('N2 ends a command that was told to end while it was being spawned', async () => {
    const process = bench.bash().start(bench.bash().resolve({ command: 'sleep 65' }));

    expect(process.kill()).toBe(true);
    await process.done;

    expect(process.status).toBe('killed');
    expect(await processes()).not.toContain('sleep 65');
  });

  it('B7 settles when a surviving child holds the pipe, and lets it live', async () => {
    const result = await run('(sleep 1; echo late) & sleep 66 & echo done');

    expect(result).toMatchObject({ exitCode: 0, stdout: { text: 'done\n' } });
    expect(await processes()).toContain('sleep 66');
  });

  it('N3 tells exit code and signal apart', async () => {
    expect(await run('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(await run("bash -c 'kill -KILL $$'; exit $?")).toMatchObject({ exitCode: 137, signal: null });
  });

  it('N3 says when the kernel ended a process for lack of memory', async () => {
    const result = await run("python3 -c 'x = bytearray(900 * 1024 ** 2)'");

    expect(result.exitCode ?? result.signal).not.toBe(0);
    expect(result.stderr.text).toContain('memory limit of the sandbox');
  });

  it('N4 B1 names the reason when a command cannot be started', async () => {
    await expect(run('true', { workdir: '/workspace/none' })).rejects.toMatchObject({
      code: BASH_SPAWN_FAILED,
      message: expect.stringMatching(/none/) as unknown,
    });
    await expect(run('true', { workdir: '/etc/passwd' })).rejects.toThrow(/not a directory/);
  });

  it('N4 B1 a folder whose name is longer than any path costs its call and not the sandbox', async () => {
    for (const length of [5_000, 20_000, 2_000_000]) {
      const refused = run('true', { workdir: 'd'.repeat(length) });

      await expect(refused).rejects.toMatchObject({ code: BASH_SPAWN_FAILED });
      await refused.catch(({ message }: Error) => expect(message.length).toBeLessThan(2_000));
    }

    expect((await run('cat /tmp/kept', {})).exitCode).toBe(1);
    await run('echo kept > /tmp/kept');
    await expect(bench.fs.resolve('d'.repeat(20_000))).rejects.toMatchObject({ code: 'FS_NOT_FOUND' });
    expect((await run('cat /tmp/kept')).stdout.text).toBe('kept\n');
  });

  it.each(['a text', new Error('own'), null, { kind: 'parent' }])(
    'B1 a call that was cancelled before its spawn says so, whatever the reason (%j)',
    async (reason) => {
      await expect(run('touch ran', { signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
        code: BASH_SPAWN_FAILED,
        message: 'aborted before the command was started',
      });
      expect(existsSync(join(bench.tree, 'ran'))).toBe(false);
    },
  );

  it('N5 stays flat and quick under a flood and keeps its end', async () => {
    const before = process.memoryUsage().rss;

    const result = await run('yes 0123456789 | head -c 1000000000; echo; echo the end', { timeoutMs: 60_000 });

    expect(result).toMatchObject({ exitCode: 0, timedOut: false, stdout: { truncated: true } });
    expect(result.stdout.text).toMatch(/0123456789\n.*\nthe end\n$/s);
    expect(result.stdout.head).toMatch(/^0123456789\n/);
    expect(result.stdout.totalBytes).toBe(1_000_000_000 + '\nthe end\n'.length);
    expect(result.stdout).not.toHaveProperty('spillPath');
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 ** 2);
  }, 90_000);

  it('N5 takes one line of 50 MB and binary output', async () => {
    const line = await run("head -c 50000000 /dev/zero | tr '\\0' x");
    const binary = await run('head -c 300000 /dev/urandom; echo; echo end');

    expect(line.stdout.text).toBe('x'.repeat(64_000));
    expect(binary.stdout.text).toMatch(/end\n$/);
  });

  it('N6 B9 puts the whole output where the container can read it, and not write it', async () => {
    const { stdout } = await run('seq 1 50000', {}, { spillDir });

    expect(stdout.spillPath).toMatch(/^\/dsh\/spill\//);
    expect((await run(`tail -n 1 ${stdout.spillPath}; wc -l < ${stdout.spillPath}`)).stdout.text).toBe(
      '50000\n50000\n',
    );
    expect((await run(`rm ${stdout.spillPath}`)).exitCode).not.toBe(0);
    expect(readFileSync(join(spillDir, basename(stdout.spillPath!)), 'utf8')).toMatch(/^1\n2\n/);
  });

  it('N7 gives commands nothing of the host', async () => {
    process.env['DSH_TEST_LEAK'] = 'leaked';

    const { stdout } = await run('env; cat /proc/1/environ | tr "\\0" "\\n"');

    delete process.env['DSH_TEST_LEAK'];
    const names = stdout.text.match(/^\w+(?==)/gm)!;
    expect(stdout.text).not.toContain('leaked');
    expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'LANG', 'CI', 'GIT_OPTIONAL_LOCKS']));
    expect(stdout.text).toMatch(/^PATH=.*\/usr\/bin/m);
  });

  it('N1 gives commands real pipes that can be opened by name, and a file for stdin', async () => {
    const result = await run('echo out > /dev/stdout; echo err > /dev/stderr; cat /dev/stdin', { stdin: 'in' });

    expect(result).toMatchObject({ exitCode: 0, stdout: { text: 'out\nin' }, stderr: { text: 'err\n' } });
  });

  it('N11 refuses a command text above 32 KiB and an eleventh background process', async () => {
    const bash = bench.bash();
    expect(() => bash.resolve({ command: `true ${'x'.repeat(33_000)}` })).toThrow(/32768/);
    const spec = bash.resolve({ command: 'sleep 67' });
    const started = Array.from({ length: 10 }, () => bash.start(spec));

    expect(() => bash.start(spec)).toThrow(/background/);

    await bash.dispose();
    expect(started.map(({ status }) => status)).toEqual(Array(10).fill('killed'));
  });

  it('B15 kills what runs in the background when the executor is disposed', async () => {
    const bash = bench.bash();
    const process = bash.start(bash.resolve({ command: "trap '' TERM; sleep 68 & wait; sleep 68" }));
    await sleep(200);

    await bash.dispose();

    expect(process.status).toBe('killed');
    expect(await processes()).not.toContain('sleep 68');
  });

  it('B14 shows output while a background command runs', async () => {
    const bash = bench.bash();
    const process = bash.start(bash.resolve({ command: 'echo one; sleep 0.5; echo two; sleep 69' }));
    await sleep(300);
    const first = process.readOutput().delta;
    await sleep(700);

    expect([first, process.readOutput().delta, process.status]).toEqual(['one\n', 'two\n', 'running']);
  });

  it('N12 runs commands side by side without mixing them up', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => run(`sleep 0.${index % 5}; echo ${index}; exit ${index}`)),
    );

    expect(results.map(({ exitCode, stdout }) => `${exitCode} ${stdout.text}`)).toEqual(
      results.map((_, index) => `${index} ${index}\n`),
    );
  });

  it('N12 survives a working directory that the command deletes', async () => {
    const result = await run('mkdir gone && cd gone && rmdir ../gone; pwd >/dev/null; echo $?');

    expect(result.exitCode).toBe(0);
    expect(existsSync(join(bench.tree, 'gone'))).toBe(false);
  });
});

describe('sandbox', () => {
  it('N11 ends a fork bomb at the process limit and stays usable', async () => {
    await run(':(){ :|:& };:', { timeoutMs: 5_000 });

    const startedAt = Date.now();
    for (const word of ['one', 'two', 'three']) expect((await run(`echo ${word} | cat`)).stdout.text).toBe(`${word}\n`);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  }, 60_000);

  it('N11 makes room for a command by ending what earlier ones have left', async () => {
    const background = bench.bash();
    const kept = background.start(background.resolve({ command: 'sleep 84' }));
    await run('for i in $(seq 50); do sleep 82 & done');
    await run('for i in $(seq 45); do sleep 83 & done');

    const results = [await run('echo one'), await run('echo two; sleep 0 & sleep 0 & sleep 0 & wait')];

    expect(results.map(({ stdout }) => stdout.text)).toEqual(['one\n', 'two\n']);
    expect(await processes()).not.toMatch(/sleep 8[23]/);
    expect(kept.status).toBe('running');
  }, 60_000);
});

describe('cases', () => {
  it.each([
    ['a server in the foreground', 'node -e \'console.log(1); require("http").createServer().listen(0)\'', /^1\n/],
    ['tail -f', 'echo x > log; tail -f log', /^x\n/],
  ])('N7 ends %s at its limit with the output so far', async (_title, command, output) => {
    const result = await run(command, { timeoutMs: 1_000 });

    expect(result).toMatchObject({ timedOut: true });
    expect(result.stdout.text).toMatch(output);
    expect(await processes()).not.toMatch(/tail -f|createServer/);
  });

  it.each([
    ['a REPL', 'python3'],
    ['a prompt', 'read x'],
    ['a pager', 'echo x | ${PAGER}'],
    ['an editor of git', 'cd /tmp && git init -q p && cd p && git -c user.name=a -c user.email=b commit --allow-empty'],
    ['sudo', 'sudo true'],
  ])('N7 does not wait for %s', async (_title, command) => {
    const result = await run(command, { timeoutMs: 10_000 });

    expect(result.timedOut).toBe(false);
  });
});
