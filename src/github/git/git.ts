import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { HarnessError } from '../../harness/llm/errors.ts';
import { gitEnvironment, type GitCredentials, type GitPlace } from './git-environment.ts';
import { redactGit } from './redact-git.ts';

export interface GitOptions extends GitPlace {
  credentials?: GitCredentials;
  /** Further variables, such as `GIT_INDEX_FILE`. */
  env?: Record<string, string>;
  input?: string | Uint8Array;
  /** Exit codes that are an answer and no failure. Default: 0 only. */
  answers?: number[];
  signal?: AbortSignal;
}

export interface GitResult {
  exitCode: number;
  stdout: Buffer;
}

/** Git said no. `stderr` holds no credentials. */
export class GitError extends HarnessError {
  readonly stderr: string;

  constructor(command: string, exitCode: number | null, stderr: string) {
    super(`git ${command} failed (${exitCode ?? 'killed'}): ${stderr.trim().slice(-2_000)}`, 'GIT_FAILED');
    this.name = 'GitError';
    this.stderr = stderr;
  }
}

/**
 * Runs git to its end. Throws `GitError` for an exit code that is no answer. A token that the server no longer takes, from
 * the start or in the middle, is renewed once, and git run again: what it had fetched by then it does not fetch twice.
 */
export async function git(args: string[], options: GitOptions): Promise<GitResult> {
  const { credentials } = options;
  try {
    return await runOnce(args, options);
  } catch (error) {
    if (!credentials?.renew || !(error instanceof GitError) || !isUnauthorized(error)) throw error;
    const token = await credentials.renew();
    if (token === credentials.token) throw error;
    return await runOnce(args, { ...options, credentials: { url: credentials.url, token } });
  }
}

/** Whether git was told that it may not. */
export function isUnauthorized({ stderr }: Pick<GitError, 'stderr'>): boolean {
  return /authentication failed|could not read Username|returned error: 40[13]/i.test(stderr);
}

async function runOnce(args: string[], options: GitOptions): Promise<GitResult> {
  const { credentials, input, answers = [0] } = options;
  const [exitCode, stdout, stderr] = await outcomeOf(spawnGit(args, options), input);
  if (exitCode !== null && answers.includes(exitCode)) return { exitCode, stdout };
  throw new GitError(args[0]!, exitCode, redactGit(stderr.toString(), credentials?.token));
}

/** The one place the host starts git: no shell, no inherited environment, git directory and work tree always named. */
export function spawnGit(args: string[], options: GitOptions): GitChild {
  const { gitDir, workTree, credentials, env, signal } = options;
  signal?.throwIfAborted();
  return spawn('git', [`--git-dir=${gitDir}`, ...(workTree ? [`--work-tree=${workTree}`] : []), ...args], {
    cwd: workTree ?? '/',
    env: { ...gitEnvironment(options, credentials), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
  });
}

/** What git printed, without the line end. */
export async function gitText(args: string[], options: GitOptions): Promise<string> {
  return (await git(args, options)).stdout.toString().trimEnd();
}

export type GitChild = ChildProcessByStdio<Writable, Readable, Readable>;

function outcomeOf(child: GitChild, input: string | Uint8Array = ''): Promise<[number | null, Buffer, Buffer]> {
  // Git may end before it read everything; its exit code tells more than the broken pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve([exitCode, Buffer.concat(stdout), Buffer.concat(stderr)]));
  });
}

function collect(stream: Readable): Buffer[] {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return chunks;
}
