import type { Context } from '../../../harness/kernel/context.ts';
import type { ToolExecution } from '../../../harness/tools/types.ts';
import { resolveTarget } from '../../../seams/filesystem/file-tool-args.ts';
import { checkInSandbox } from './check-in-sandbox.ts';
import { findSyntaxError } from './find-syntax-error.ts';
import type { SyntaxCheck } from './find-syntax-error.ts';
import { sandboxCheckerFor } from './sandbox-checkers.ts';

const CHANGES: ReadonlySet<string> = new Set(['edit', 'write']);

/**
 * After an edit or a write the result says whether the file is still sound, where a checker is at hand (PR26). An error that
 * stood there before is not told, and nothing is ever refused.
 */
export function addSyntaxCheck(agentCtx: Context, root: Context): void {
  const before = new WeakMap<object, string | undefined>();
  const absent = new Set<string>();
  const check = (exec: Readonly<ToolExecution>, path: string, text: string) =>
    checked(exec, { path, text, root, absent });
  agentCtx.on('tools/pre-execute', async (exec, next) => {
    const decision = await next();
    if (CHANGES.has(exec.name) && decision.kind === 'allow')
      before.set(exec.arguments as object, (await fileOf(root, exec))?.text);
    return decision;
  });
  agentCtx.on('tools/post-execute', async (exec, result, next) => {
    const decision = await next();
    if (!CHANGES.has(exec.name) || result.isError || decision.kind !== 'accept') return decision;
    const file = await fileOf(root, exec);
    if (!file) return decision;
    const now = await check(exec, file.path, file.text);
    const earlier = before.get(exec.arguments as object);
    const isOld = now !== 'unknown' && now.error !== undefined && earlier !== undefined;
    const line = isOld && hasError(await check(exec, file.path, earlier)) ? undefined : lineOf(now);
    if (line === undefined) return decision;
    return { ...decision, content: [...(decision.content ?? result.content), { type: 'text', text: line }] };
  });
}

function hasError(found: SyntaxCheck): boolean {
  return found !== 'unknown' && found.error !== undefined;
}

function lineOf(found: SyntaxCheck): string | undefined {
  if (found === 'unknown') return undefined;
  return `Syntax${found.by === undefined ? '' : ` (${found.by})`}: ${found.error ?? 'fine.'}`;
}

interface Checked {
  readonly path: string;
  readonly text: string;
  readonly root: Context;
  readonly absent: Set<string>;
}

async function checked(exec: Readonly<ToolExecution>, { path, text, root, absent }: Checked): Promise<SyntaxCheck> {
  const found = findSyntaxError(path, text);
  if (found !== 'unknown') return found;
  const policy = root.get('sandboxPolicy')?.resolve({ ...(exec.agent && { session: exec.agent.session }) });
  return checkInSandbox(path, text, { root, policy, signal: exec.signal, absent });
}

/** Undefined where no checker is for it, or it cannot be read, such as a file that is not there yet. */
async function fileOf(
  root: Context,
  exec: Readonly<ToolExecution>,
): Promise<{ path: string; text: string } | undefined> {
  const { file_path: path } = exec.arguments as { file_path?: unknown };
  if (typeof path !== 'string' || (findSyntaxError(path, '{}') === 'unknown' && !sandboxCheckerFor(path, '')))
    return undefined;
  try {
    return { path, text: await root.fs.readText(await resolveTarget(root, exec, path), exec.signal) };
  } catch {
    return undefined; // the tool itself says what is wrong with the path
  }
}
