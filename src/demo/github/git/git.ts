import { spawn } from 'node:child_process';

export interface GitRun {
  input?: string | Buffer;
  env?: Record<string, string>;
}

/** Git left with an exit code; `message` holds what it said. */
export class GitFailure extends Error {
  readonly exitCode: number | null;

  constructor(args: string[], exitCode: number | null, stderr: string) {
    super(`git ${args[0]} left with ${exitCode}: ${stderr.trim()}`);
    this.exitCode = exitCode;
  }
}

/** Git on one bare repository, with no configuration but that repository's own. */
export class Git {
  readonly dir: string;
  readonly #answers = new Map<string, Promise<string | undefined>>();

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Runs git and gives its raw output; a non-zero exit is a `GitFailure`. */
  async run(args: string[], { input, env }: GitRun = {}): Promise<Buffer> {
    const child = spawn('git', ['--git-dir', this.dir, ...args], { env: { ...cleanEnv(), ...env } });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.on('error', () => {}); // git may leave before it has read all: its exit code tells
    child.stdin.end(input);

    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    if (exitCode !== 0) throw new GitFailure(args, exitCode, Buffer.concat(err).toString());
    return Buffer.concat(out);
  }

  async text(args: string[], run?: GitRun): Promise<string> {
    return (await this.run(args, run)).toString().trimEnd();
  }

  /** As `ask`, with the answer kept: for questions about commits by their sha, whose answer never changes. */
  askOnce(args: string[]): Promise<string | undefined> {
    const key = args.join(' ');
    const answer = this.#answers.get(key) ?? this.ask(args);
    this.#answers.set(key, answer);
    return answer;
  }

  /** As `text`, with undefined where git says no. */
  async ask(args: string[], run?: GitRun): Promise<string | undefined> {
    return this.text(args, run).catch((error: unknown) => {
      if (error instanceof GitFailure) return undefined;
      throw error;
    });
  }
}

/** The whole environment of a git child: the machine's own settings must not change what the demo does. */
export function cleanEnv(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  };
}
