/**
 * A policy: some files are not for the model to change. A waterfall listener looks at every call before it runs, decides
 * about those it knows, and passes all others on with `next()`.
 *
 * In a bot: `createBot({ …, plugins: [protectedPaths(['.github/', 'LICENSE'])] })`.
 *
 * This is guidance, not a wall: a command in `bash` can write where `edit` may not. The wall is the sandbox.
 */
import { posix } from 'node:path';
import type { Plugin } from 'dsh-github/kernel';
import type {} from 'dsh-github/tools';

/** Where every job finds the repository. */
const WORK_TREE = '/workspace';
const WRITING_TOOLS = new Set(['edit', 'write']);

/** `paths` are relative to the work tree; one that ends with `/` protects all below it. */
export function protectedPaths(paths: readonly string[]): Plugin<void> {
  return {
    name: 'protected-paths',
    apply(ctx) {
      ctx.on('tools/pre-execute', (exec, next) => {
        const path = WRITING_TOOLS.has(exec.name) ? pathOf(exec.arguments) : undefined;
        const rule = path === undefined ? undefined : paths.find((protects) => covers(protects, path));
        // Without `next()` nobody further in is asked. The reason is told to the model.
        return rule === undefined
          ? next()
          : { kind: 'deny', reason: `${rule} is protected; leave it as it is and say what you would change` };
      });
    },
  };
}

/** Arguments are the model's own and not checked yet; `/workspace/a/../b`, `./b` and `b` are one file. */
function pathOf(args: unknown): string | undefined {
  const path: unknown = (args as { file_path?: unknown } | null)?.file_path;
  return typeof path === 'string' ? posix.relative(WORK_TREE, posix.resolve(WORK_TREE, path)) : undefined;
}

function covers(rule: string, path: string): boolean {
  return rule.endsWith('/') ? path.startsWith(rule) : path === rule;
}
