import type { Context } from '../../../harness/kernel/context.ts';
import type { ToolExecution } from '../../../harness/tools/types.ts';
import { resolveTarget } from '../../../seams/filesystem/file-tool-args.ts';
import { findSyntaxError } from './find-syntax-error.ts';

const CHANGES: ReadonlySet<string> = new Set(['edit', 'write']);

/**
 * After an edit or a write the result says whether the file is still sound, where a checker is at hand (PR26). An error that
 * stood there before is not told, and nothing is ever refused.
 */
export function addSyntaxCheck(agentCtx: Context, root: Context): void {
  const before = new WeakMap<object, string | undefined>();
  agentCtx.on('tools/pre-execute', async (exec, next) => {
    const decision = await next();
    if (CHANGES.has(exec.name) && decision.kind === 'allow')
      before.set(exec.arguments as object, await errorIn(root, exec));
    return decision;
  });
  agentCtx.on('tools/post-execute', async (exec, result, next) => {
    const decision = await next();
    if (!CHANGES.has(exec.name) || result.isError || decision.kind !== 'accept') return decision;
    const line = lineOf(await checked(root, exec), before.get(exec.arguments as object));
    if (line === undefined) return decision;
    return { ...decision, content: [...(decision.content ?? result.content), { type: 'text', text: line }] };
  });
}

function lineOf(now: Awaited<ReturnType<typeof checked>>, earlier: string | undefined): string | undefined {
  if (now === 'unknown') return undefined;
  if (now.error === undefined) return 'Syntax: fine.';
  return earlier === undefined ? `Syntax: ${now.error}` : undefined;
}

async function errorIn(root: Context, exec: Readonly<ToolExecution>): Promise<string | undefined> {
  const found = await checked(root, exec);
  return found === 'unknown' ? undefined : found.error;
}

/** What cannot be read, such as a file that is not there yet, is unknown. */
async function checked(root: Context, exec: Readonly<ToolExecution>): Promise<ReturnType<typeof findSyntaxError>> {
  const { file_path: path } = exec.arguments as { file_path?: unknown };
  if (typeof path !== 'string' || findSyntaxError(path, '{}') === 'unknown') return 'unknown';
  try {
    return findSyntaxError(path, await root.fs.readText(await resolveTarget(root, exec, path), exec.signal));
  } catch {
    return 'unknown'; // the tool itself says what is wrong with the path
  }
}
