import type { Context } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';
import type { SandboxExecutionPolicy } from '../sandbox/types.ts';
import type { FsTarget } from './file-system.ts';

export const FILE_PATH = {
  type: 'string',
  required: true,
  description: 'Path of the file, relative to the work tree or absolute.',
} as const;

/** @throws HarnessError `INVALID_ARGS` for a blank path */
export function assertPath(path: string): void {
  if (path.trim() === '') throw invalidArgs('file_path is blank — name the file');
}

/** The file a call means: relative to the root of its policy, else to its session's own directory. */
export function resolveTarget(
  ctx: Context,
  exec: ToolExecution,
  path: string,
  policy?: SandboxExecutionPolicy,
): Promise<FsTarget> {
  const cwd = policy?.workspaceRoot ?? sessionCwd(exec);
  return ctx.fs.resolve(path, { ...(cwd !== undefined && { cwd }), signal: exec.signal });
}

export function sessionCwd({ agent }: ToolExecution): string | undefined {
  return agent?.session.header.cwd;
}

export function invalidArgs(message: string): HarnessError {
  return new HarnessError(message, 'INVALID_ARGS');
}
