import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FixTask } from './task.ts';

type Files = Readonly<Record<string, string>>;

export interface TestRun {
  readonly failToPass: readonly boolean[];
  readonly passToPass: readonly boolean[];
}

/** How a command is run in a folder; gives its exit code. */
export type RunIn = (folder: string, command: string) => Promise<number>;

/**
 * The task's commands over a tree, with the hidden files and the tests of the base laid over it: what was weakened does not
 * count. `tree` are the files of the change, by path.
 */
export async function runTests(task: FixTask, tree: Files, runIn: RunIn): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-task-'));
  try {
    await lay(folder, { ...tree, ...testsOf(task), ...task.hidden });
    const passes = async (commands: readonly string[]) => {
      const ends: boolean[] = [];
      for (const command of commands) ends.push((await runIn(folder, command)) === 0);
      return ends;
    };
    return { failToPass: await passes(task.failToPass), passToPass: await passes(task.passToPass) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The tests that the base's people wrote. */
export function testsOf({ files }: FixTask): Files {
  return Object.fromEntries(Object.entries(files).filter(([path]) => /^test/.test(path)));
}

/** On this machine, with nothing of its environment but the path. For files that we wrote ourselves. */
export function onThisMachine(path: string): RunIn {
  return (folder, command) =>
    new Promise((resolve) => {
      const child = spawn('bash', ['-c', command], { cwd: folder, stdio: 'ignore', env: { PATH: path, HOME: folder } });
      child.once('error', () => resolve(1)).once('close', (code) => resolve(code ?? 1));
    });
}

/** In a container without network, which ends with the command. */
export function inContainer(image: string): RunIn {
  return (folder, command) =>
    new Promise((resolve) => {
      const limits = ['--network', 'none', '--memory', '1g', '--pids-limit', '256'];
      const place = ['--volume', `${folder}:/task`, '--workdir', '/task'];
      const args = ['run', '--rm', ...limits, ...place, '--entrypoint', 'timeout', image, '60', 'bash', '-c', command];
      const child = spawn('docker', args, { stdio: 'ignore' });
      child.once('error', () => resolve(1)).once('close', (code) => resolve(code ?? 1));
    });
}

async function lay(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
