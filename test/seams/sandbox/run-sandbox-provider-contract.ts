import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConfinedArgv, SandboxProvider } from '../../../src/seams/sandbox/provider.ts';
import { canonicalPath } from '../../../src/seams/sandbox/canonical-path.ts';
import type { ConfinedSandboxMode } from '../../../src/seams/sandbox/types.ts';

interface Ran {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly confined: ConfinedArgv;
}

/**
 * What every same-host provider must show, on real commands. `outside` is a folder that this user may write to and that
 * lies neither in the workspace nor in the temporary folder.
 */
export function runSandboxProviderContract(provider: SandboxProvider, outsideOf: () => string): void {
  describe('sandbox', () => {
    let outside: string;
    let workspace: string;
    beforeEach(() => {
      outside = mkdtempSync(join(outsideOf(), 'dsh-outside-'));
      workspace = join(outside, 'workspace');
      mkdirSync(workspace);
    });
    afterEach(() => rmSync(outside, { recursive: true, force: true }));

    async function run(mode: ConfinedSandboxMode, command: string, workspaceRoot = workspace): Promise<Ran> {
      const confined = provider.confine(['bash', '-c', command], { mode, workspaceRoot: canonicalPath(workspaceRoot) });
      const [program = '', ...args] = confined.argv;
      const child = spawn(program, args, { cwd: outside, stdio: ['ignore', 'ignore', 'pipe'] });
      const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
      return { stderr: await text(child.stderr), exitCode: await exited, confined };
    }

    const isNamed = (signatures: readonly string[], stderr: string) =>
      signatures.some((signature) => stderr.toLowerCase().includes(signature.toLowerCase()));

    it('B5 B8 N4 a provider lets nothing be written in read-only but the null device, and names the denial', async () => {
      const { exitCode, stderr, confined } = await run('read-only', `echo x > /dev/null && echo x > ${workspace}/a`);

      expect(exitCode).not.toBe(0);
      expect([isNamed(confined.denialSignatures, stderr), isNamed(confined.runnerFailureSignatures, stderr)]).toEqual([
        true,
        false,
      ]);
      expect(existsSync(join(workspace, 'a'))).toBe(false);
    });

    it('B5 N4 a provider lets workspace and temporary folder be written in workspace-write, and nothing else', async () => {
      const temporary = mkdtempSync(join(tmpdir(), 'dsh-provider-'));
      const inside = await run('workspace-write', `echo x > ${workspace}/a && echo x > ${temporary}/a`);
      const beyond = await run('workspace-write', `echo x > ${outside}/a`);

      expect([inside.exitCode, existsSync(join(workspace, 'a')), existsSync(join(temporary, 'a'))]).toEqual([
        0,
        true,
        true,
      ]);
      expect([beyond.exitCode === 0, existsSync(join(outside, 'a'))]).toEqual([false, false]);
      rmSync(temporary, { recursive: true });
    });

    it('B5 N4 no way around through the files of other processes', async () => {
      const { stderr } = await run(
        'read-only',
        `for root in /proc/[0-9]*/root; do echo x > $root${workspace}/a; done; mount -o remount,rw /; echo x > ${workspace}/b`,
      );

      expect([existsSync(join(workspace, 'a')), existsSync(join(workspace, 'b'))]).toEqual([false, false]);
      expect(stderr).not.toBe('');
    });

    it('B4 B6 N4 a provider keeps no policy: two calls at the same time have each their own', async () => {
      const command = (name: string) => `sleep 0.3; echo x > ${workspace}/${name}`;

      const [narrow, wide] = await Promise.all([
        run('read-only', command('narrow')),
        run('workspace-write', command('wide')),
      ]);

      expect([existsSync(join(workspace, 'narrow')), existsSync(join(workspace, 'wide'))]).toEqual([false, true]);
      expect([narrow, wide].map(({ confined }) => ['full', 'partial'].includes(confined.enforcement))).toEqual([
        true,
        true,
      ]);
    });

    it('B7 N4 a command that fails by itself is no failure of the runner', async () => {
      const { exitCode, stderr, confined } = await run('workspace-write', 'echo mine >&2; exit 7');

      expect([exitCode, isNamed(confined.runnerFailureSignatures, stderr)]).toEqual([7, false]);
    });

    it('B5 B7 N4 what cannot be confined does not run', async () => {
      const missing = join(outside, 'missing');
      const attempt = async () => run('workspace-write', `echo x > ${workspace}/ran`, missing);

      const result = await attempt().catch((error: { code?: string }) => error.code);

      if (typeof result === 'object')
        expect(isNamed(result.confined.runnerFailureSignatures, result.stderr)).toBe(true);
      else expect(result).toBe('SANDBOX_UNAVAILABLE');
      expect(existsSync(join(workspace, 'ran'))).toBe(false);
    });
  });
}
