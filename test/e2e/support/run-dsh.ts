import { spawn } from 'node:child_process';
import { findPackageRoot } from '../../../src/cli/package-root.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';
import type { Variables } from './stage.ts';

export interface DshRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as a process of its own, with these variables and no others of ours. */
export function runDsh(
  args: readonly string[],
  variables: Variables,
  signal?: AbortSignal,
  killSignal: NodeJS.Signals = 'SIGKILL',
  cwd?: string,
): Promise<DshRun> {
  const env = Object.fromEntries(
    Object.entries({ PATH: process.env.PATH, ...COMPILE_CACHE, ...variables }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const child = spawn(process.execPath, [`${findPackageRoot()}/src/cli.ts`, ...args], {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal,
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text));
  return new Promise((resolve, reject) => {
    child.on('error', (error) => (error.name === 'AbortError' ? undefined : reject(error)));
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}
