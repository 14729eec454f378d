import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BASH_SPAWN_FAILED } from '../../../src/seams/bash/executor.ts';
import type { BashExecRequest, BashExecutor, BashRunResult } from '../../../src/seams/bash/executor.ts';
import { CONTRACT_COMMANDS as commands } from './contract-commands.ts';

/**
 * `root` is an existing directory as commands see it, `missing` one that does not exist. The executor's limits are the
 * defaults, but for `graceMs`, which should be small.
 */
export interface BashFixture {
  bash: BashExecutor;
  root: string;
  missing: string;
  close(): Promise<void>;
}

/** What every bash executor does. A stand-in plays `CONTRACT_COMMANDS`, a real one runs them. */
export function runBashContract(title: string, make: () => Promise<BashFixture>): void {
  describe('bash', () => {
    describe(title, () => {
      let fixture: BashFixture;
      beforeEach(async () => {
        fixture = await make();
      });
      afterEach(() => fixture.close());

      const specOf = (request: BashExecRequest) => fixture.bash.resolve({ workdir: fixture.root, ...request });
      const run = (command: string, request: Partial<BashExecRequest> = {}): Promise<BashRunResult> =>
        fixture.bash.run(specOf({ command, ...request }));

      it('B1 resolves with the exit code of a command that fails', async () => {
        const result = await run(commands.fail.bash);

        expect(result).toMatchObject({ exitCode: 3, signal: null, timedOut: false, aborted: false });
      });

      it('B1 rejects where no command can run', async () => {
        await expect(run(commands.fail.bash, { workdir: fixture.missing })).rejects.toMatchObject({
          code: BASH_SPAWN_FAILED,
        });
      });

      it('B1 rejects when the signal was aborted before the spawn', async () => {
        await expect(run(commands.fail.bash, { signal: AbortSignal.abort() })).rejects.toThrow();
      });

      it('B1 keeps the two streams apart', async () => {
        const result = await run(commands.bothStreams.bash);

        expect(result.stdout).toEqual({ text: 'out\n', truncated: false });
        expect(result.stderr).toEqual({ text: 'err\n', truncated: false });
      });

      it('B3 B4 calls its own deadline a timeout and names the signal', async () => {
        const result = await run(commands.sleep.bash, { timeoutMs: 200 });

        expect(result).toMatchObject({
          timedOut: true,
          aborted: false,
          exitCode: null,
          signal: 'SIGTERM',
          timeoutMs: 200,
        });
      });

      it('B3 reports a timeout and exit 0 side by side', async () => {
        const result = await run(commands.trapTerm.bash, { timeoutMs: 400 });

        expect(result).toMatchObject({ timedOut: true, exitCode: 0, signal: null });
      });

      it('B3 B4 calls an outer deadline that fires first an abort', async () => {
        const result = await run(commands.sleep.bash, { timeoutMs: 20_000, signal: AbortSignal.timeout(300) });

        expect(result).toMatchObject({ timedOut: false, aborted: true });
      });

      it('B5 caps the limit and refuses what is not one', () => {
        expect(specOf({ command: ':' }).timeoutMs).toBe(120_000);
        expect(specOf({ command: ':', timeoutMs: 5_000_000 }).timeoutMs).toBe(600_000);
        for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
          expect(() => specOf({ command: ':', timeoutMs })).toThrow(/timeoutMs/);
        }
      });

      it('B7 does not wait for a child that keeps the pipe', async () => {
        const startedAt = Date.now();

        const result = await run(commands.orphan.bash);

        expect(result).toMatchObject({ exitCode: 0, timedOut: false, stdout: { text: 'done\n' } });
        expect(Date.now() - startedAt).toBeLessThan(15_000);
      });

      it('B8 keeps the tail of what is too long', async () => {
        const { stdout } = await run(commands.count.bash, { stdoutMaxBytes: 1_000 });

        expect(stdout.truncated).toBe(true);
        expect(stdout.text).toMatch(/19999\n20000\n$/);
        expect(Buffer.byteLength(stdout.text)).toBeLessThanOrEqual(1_000);
      });

      it('B8 does not call output truncated that just fits', async () => {
        const { stdout } = await run(commands.thousand.bash, { stdoutMaxBytes: 1_000 });

        expect(stdout).toEqual({ text: 'x'.repeat(1_000), truncated: false });
      });

      it('B10 lets a request raise stdout only', async () => {
        const { stdout, stderr } = await run(commands.countBoth.bash, { stdoutMaxBytes: 1_000_000 });

        expect(stdout.truncated).toBe(false);
        expect(stderr.truncated).toBe(true);
        expect(Buffer.byteLength(stderr.text)).toBeLessThanOrEqual(64_000);
      });

      it('B11 passes env and dshEnv to the command in a plain terminal', async () => {
        const { stdout } = await run(commands.environment.bash, { env: { FOO: 'bar' }, dshEnv: { DSH_X: 'y' } });

        expect(stdout.text).toBe('bar y 1 dumb cat cat\n');
      });

      it('B11 refuses a name in the wrong channel', () => {
        expect(() => specOf({ command: ':', env: { DSH_HOME: '/x' } })).toThrow(/DSH_HOME/);
        expect(() => specOf({ command: ':', dshEnv: { PATH: '/x' } as never })).toThrow(/PATH/);
      });

      it('B12 gives a command without stdin a character device', async () => {
        const { stdout } = await run(commands.stdinKind.bash);

        expect(stdout.text).toBe('device\n');
      });

      it('B12 writes stdin once and closes it', async () => {
        const { stdout } = await run(commands.echoStdin.bash, { stdin: 'hello' });

        expect(stdout.text).toBe('hello');
      });

      it('B13 B15 starts a process at once, which completes and cannot be killed then', async () => {
        const process = fixture.bash.start(specOf({ command: commands.fail.bash }));
        expect(process.status).toBe('running');

        await process.done;

        expect(process).toMatchObject({ status: 'completed', exitCode: 3, signal: null });
        expect(process.kill()).toBe(false);
      });

      it('B13 B6 calls a process that was told to end killed, however often it was told', async () => {
        const process = fixture.bash.start(specOf({ command: commands.sleep.bash }));
        expect([process.kill(), process.kill()]).toEqual([true, true]);

        await process.done;

        expect(process.status).toBe('killed');
      });

      it('B13 calls a process that killed itself killed', async () => {
        const process = fixture.bash.start(specOf({ command: commands.killSelf.bash }));

        await process.done;

        expect(process).toMatchObject({ status: 'killed', signal: 'SIGTERM' });
      });

      it('B13 ends a process that could not start as killed and tells why', async () => {
        const process = fixture.bash.start(specOf({ command: commands.fail.bash, workdir: fixture.missing }));

        await process.done;

        expect(process.status).toBe('killed');
        expect(process.readOutput().delta).toMatch(/\S/);
      });

      it('B14 reads what is new, stdout before stderr, also after the end', async () => {
        const process = fixture.bash.start(specOf({ command: commands.bothStreams.bash }));
        await process.done;

        expect(process.readOutput()).toMatchObject({ delta: 'out\n[stderr]\nerr\n', lossy: false });
        expect(process.readOutput().delta).toBe('');
      });

      it('B16 never takes death by signal for a denial', async () => {
        const result = await run(commands.killSelf.bash);

        expect(result).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
        expect(result.sandbox?.denied ?? false).toBe(false);
      });
    });
  });
}
