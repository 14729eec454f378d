import type { Context } from '../../harness/kernel/context.ts';
import { isHarnessError } from '../../harness/llm/errors.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';
import { BASH_SPAWN_FAILED } from '../bash/executor.ts';
import type { BashExecRequest, BashRunResult } from '../bash/executor.ts';
import { shellQuote } from '../bash/shell-quote.ts';
import { sessionCwd } from './file-tool-args.ts';
import { nearestPaths } from './nearest-paths.ts';
import { printablePath } from './printable-path.ts';
import { SearchError } from './search-error.ts';

const TIMEOUT_MS = 30_000;
const MAX_RAW_BYTES = 20_000_000;
const MAX_ERROR_LINES = 20;
const VCS_DIRECTORIES = ['.git', '.svn', '.hg', '.bzr', '.jj', '.sl'];

/** Comes after the positive globs: the last one that matches decides. */
export const WITHOUT_VCS: readonly string[] = VCS_DIRECTORIES.map((name) => `--glob=!${name}`);

/**
 * Runs one search and returns its raw output, '' for none. `words` are arguments, values in `--flag=value` form; each
 * becomes one quoted word. `directory` is where it runs, relative to the session's root.
 * @throws SearchError for anything but a complete output
 */
export async function runRipgrep(
  ctx: Context,
  exec: ToolExecution,
  words: readonly string[],
  directory = '',
): Promise<string> {
  const command = `rg --no-config --color=never ${words.map(shellQuote).join(' ')}`;
  const result = await run(ctx, exec, requestFor(ctx, exec, command, directory), directory);
  assertComplete(result);
  if (result.exitCode === 1) return '';
  if (result.exitCode === 0) return result.stdout.text;
  throw isMissing(result, words.at(-1)) ? await noSuchPlace(ctx, exec, words.at(-1) ?? '') : failure(result);
}

/** Whether the search failed because the place it was given is not there; a file that vanished meanwhile is another matter. */
function isMissing({ stderr }: BashRunResult, path = ''): boolean {
  const line = stderr.text.split('\n').find((each) => each.includes(': No such file or directory'));
  return line !== undefined && line.replace(/^rg: /, '').startsWith(`${path}: `);
}

function requestFor(ctx: Context, exec: ToolExecution, command: string, directory: string): BashExecRequest {
  const policy = ctx.get('sandboxPolicy')?.resolve({ ...(exec.agent && { session: exec.agent.session }) });
  const workdir = workdirFor(directory, policy?.workspaceRoot ?? sessionCwd(exec));
  return {
    command,
    ...(workdir !== '' && { workdir }),
    timeoutMs: TIMEOUT_MS,
    stdoutMaxBytes: MAX_RAW_BYTES,
    signal: exec.signal,
    ...(policy && { sandboxPolicy: policy }),
  };
}

function workdirFor(directory: string, root = ''): string {
  if (directory.startsWith('/') || root === '') return directory;
  return directory === '' ? root : `${root}/${directory}`;
}

async function run(
  ctx: Context,
  exec: ToolExecution,
  request: BashExecRequest,
  directory: string,
): Promise<BashRunResult> {
  try {
    return await ctx.bash.run(ctx.bash.resolve(request));
  } catch (cause) {
    if (request.signal?.aborted) throw new SearchError('the search was aborted', 'SEARCH_ABORTED', { cause });
    if (!isHarnessError(cause) || cause.code !== BASH_SPAWN_FAILED) throw cause;
    throw await noSuchPlace(ctx, exec, directory);
  }
}

async function noSuchPlace(ctx: Context, exec: ToolExecution, path: string): Promise<SearchError> {
  const fs = ctx.get('fs');
  const nearest = fs ? await nearestPaths(fs, sessionCwd(exec), path, exec.signal) : [];
  const step = nearest.length > 0 ? 'did you mean one of these?' : 'name an existing place, or leave path out';
  const text = [`${printablePath(path)} is not a place that can be searched — ${step}`, ...nearest.map(printablePath)];
  return new SearchError(text.join('\n'), 'SEARCH_FAILED');
}

function assertComplete({ aborted, timedOut, timeoutMs, stdout }: BashRunResult): void {
  if (aborted) throw new SearchError('the search was aborted', 'SEARCH_ABORTED');
  if (timedOut) {
    throw new SearchError(
      `the search did not end in ${timeoutMs} ms — narrow the path or the pattern`,
      'SEARCH_ABORTED',
    );
  }
  if (stdout.truncated) {
    const text = `the search found more than ${MAX_RAW_BYTES} bytes — narrow the pattern, the path or include`;
    throw new SearchError(text, 'SEARCH_RAW_OUTPUT_OVERFLOW');
  }
}

function failure({ exitCode, signal, stderr }: BashRunResult): SearchError {
  const errors = stderr.text.trimEnd().split('\n').slice(0, MAX_ERROR_LINES).join('\n');
  if (
    /regex parse error|error parsing glob|invalid glob|compiled regex exceeds|the literal .* is not allowed/i.test(
      errors,
    )
  ) {
    return new SearchError(`the pattern is not valid — correct it\n${errors}`, 'SEARCH_INVALID_PATTERN');
  }
  const how = signal ? `was ended by ${signal}` : `failed with exit code ${exitCode}`;
  return new SearchError(`the search ${how} — check path and pattern\n${errors}`, 'SEARCH_FAILED');
}
