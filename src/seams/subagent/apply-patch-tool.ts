import type { Agent } from '../../harness/agent/types.ts';
import type { Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import { effectiveSandboxMode } from '../sandbox/sandbox-mode.ts';
import './types.ts';

/** What became of a patch on its parent's tree. In every case but `applied` the tree is as it was. */
export type AppliedPatch =
  | { readonly kind: 'applied'; readonly paths: readonly string[] }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  /** The tree holds all of it already. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'missing' };

export interface ApplyPatchConfig {
  readonly toolName?: string;
  readonly apply: (patch: string, by: { readonly agent: Agent; readonly signal: AbortSignal }) => Promise<AppliedPatch>;
}

const DESCRIPTION = `Puts the patch of a child agent that worked on a copy of your tree onto your tree.
- It is merged with what you changed meanwhile: whole, or, where both changed the same lines, not at all; the files that conflict are named.
- Read files that it changed again before you edit them.`;

/** The explicit step by which a parent takes over what an isolated child has changed. */
export const applyPatchTool: Plugin<ApplyPatchConfig> = {
  name: 'apply-subagent-patch',
  inject: ['tools'],
  apply(ctx, { toolName = 'apply_subagent_patch', apply }) {
    ctx.tools.register(
      defineTool({
        name: toolName,
        description: DESCRIPTION,
        parameters: { patch: { type: 'string', required: true, description: 'Its id, as the child’s result has it.' } },
        execute: async ({ patch }, { agent, signal }) => {
          const id = knownPatch(agent, patch.trim());
          if (effectiveSandboxMode(agent!.session.events) === 'read-only') throw readOnly();
          return [{ type: 'text', text: textOf(id, await apply(id, { agent: agent!, signal })) }];
        },
        presentCall: ({ patch }) => ({ card: 'generic', title: `take over patch ${patch.slice(0, 10)}` }),
      }),
    );
  },
};

/** Only what a child of this very session has made. A beginning of 7 digits is enough. */
function knownPatch(agent: Agent | undefined, given: string): string {
  if (!agent) throw new HarnessError('a patch needs an agent that takes it over', 'NO_AGENT');
  const made = agent.session.events.flatMap(({ type, data }) => (type === 'subagent/ended' ? (data.patch ?? []) : []));
  const found = made.find((id) => given.length >= 7 && id.startsWith(given));
  if (found !== undefined) return found;
  const known = made.join(', ') || 'none';
  throw new HarnessError(`no child of this session made patch ${given}; there is: ${known}`, 'NO_PATCH');
}

/** Throws for what the model has to mend itself. */
function textOf(id: string, applied: AppliedPatch): string {
  switch (applied.kind) {
    case 'applied':
      return `Patch ${id} is in the tree: ${applied.paths.join(', ')}.`;
    case 'nothing':
      return `The tree held all of patch ${id} already.`;
    case 'conflict':
      throw new HarnessError(
        `patch ${id} conflicts with the tree in ${applied.paths.join(', ')}; nothing was changed — make its changes to these files yourself, or delegate again from the tree as it is now`,
        'PATCH_CONFLICT',
      );
    case 'missing':
      throw new HarnessError(
        `patch ${id} is gone with the tree it was made for — make its changes yourself, they stand in the child’s result`,
        'PATCH_GONE',
      );
  }
}

function readOnly(): HarnessError {
  return new HarnessError('the tree is read-only for this session: no patch can be put on it', 'SANDBOX_DENIED');
}
