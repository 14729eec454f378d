import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import type { GitHubServer } from '../../../src/demo/github/start-github.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Octokit with a token, or with none. */
export function octokitOf(github: GitHubServer, auth?: string): Octokit {
  return new Octokit({ baseUrl: github.apiUrl, log: silent, ...(auth && { auth }) });
}

/** Octokit as the app (JWT), or as its installation for an owner. */
export function appOctokit(
  github: GitHubServer,
  owner?: string,
  other: { appId?: number; privateKey?: string } = {},
): Octokit {
  const installationId = owner === undefined ? undefined : github.installationOf(owner)!.id;
  const own = { appId: github.app.id, privateKey: github.app.privateKey };
  const auth = { ...own, ...other, ...(installationId && { installationId }) };
  return new Octokit({ baseUrl: github.apiUrl, log: silent, authStrategy: createAppAuth, auth });
}

/** Runs the real git; fails with what git said. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'T',
    GIT_AUTHOR_EMAIL: 't@example.com',
    GIT_COMMITTER_NAME: 'T',
    GIT_COMMITTER_EMAIL: 't@example.com',
  };
  const { stdout } = await promisify(execFile)('git', args, { cwd, env });
  return stdout.trimEnd();
}

/** The clone URL with a token in it. */
export function cloneUrl(github: GitHubServer, fullName: string, token?: string): string {
  const url = new URL(`${github.url}/${fullName}.git`);
  if (token) Object.assign(url, { username: 'x-access-token', password: token });
  return url.href;
}

/** The status and body of a refused call. */
export async function refused(call: Promise<unknown>): Promise<{ status: number; message: string; errors: unknown }> {
  const error = (await call.then(
    () => {
      throw new Error('The call was not refused');
    },
    (reason: unknown) => reason,
  )) as { status: number; response?: { data?: { message?: string; errors?: unknown } } };
  if (!error.response) throw error;
  return { status: error.status, message: error.response.data?.message ?? '', errors: error.response.data?.errors };
}
