import { join } from 'node:path';
import type { RoomOptions } from '../bot/job/room.ts';
import { EXPLORE } from '../bot/prompts/explore.ts';
import { IMPLEMENT } from '../bot/prompts/implement.ts';
import { SETUP_TREES } from '../docker/sweep/sweep-drafts.ts';
import { applyTreePatch } from '../github/tree/tree-patch.ts';
import type { Context } from '../harness/kernel/context.ts';
import { setSandboxMode } from '../seams/sandbox/sandbox-mode.ts';
import { applyPatchTool } from '../seams/subagent/apply-patch-tool.ts';
import { captureSandboxMode } from '../seams/subagent/capture-sandbox-mode.ts';
import { forkSubagents } from '../seams/subagent/fork.ts';
import { isolatedSubagents } from '../seams/subagent/isolated.ts';
import { localProvider } from '../seams/subagent/local-provider.ts';
import type { LocalSubagentConfig } from '../seams/subagent/local-provider.ts';
import { pinApproval } from '../seams/subagent/pin-approval.ts';
import { spawnSubagents } from '../seams/subagent/spawn.ts';
import { subagentTool } from '../seams/subagent/subagent-tool.ts';
import { subagents } from '../seams/subagent/subagent-service.ts';
import { isolatedPlaces } from './isolated-place.ts';
import type { IsolatedParts } from './isolated-place.ts';
import { quietTree } from './quiet-tree.ts';
import { SETUP } from './set-up-tree.ts';

/** For one session (docs/spec/subagent.md, N5). */
const LIMITS = { live: 4, perTurn: 20 };

/** The provider behind the model's tool: a spawned child whose commands and files cannot write the tree. */
export const EXPLORER = 'explore';
const EXPLORER_TOOLS = ['read', 'grep', 'glob', 'bash'];
const IMPLEMENTER_TOOLS = ['read', 'grep', 'glob', 'edit', 'write', 'bash'];

/** Child agents of a session: for the host always, for the model where it is configured. */
export async function mountSubagents(
  root: Context,
  options: RoomOptions,
  parts: Omit<IsolatedParts, 'folder' | 'quiet'>,
): Promise<void> {
  const { kind, config, setUpChild } = options;
  const local: LocalSubagentConfig = {
    captures: [captureSandboxMode, pinApproval],
    // A child with a tree of its own has a kernel of its own.
    setUp: (childCtx) => setUpChild?.(childCtx, childCtx.root),
  };
  await root.plugin(subagents, LIMITS);
  await root.plugin(spawnSubagents, local);
  await root.plugin(forkSubagents, local);
  if (!config.subagents || kind === 'review') return;
  const explorer = { name: EXPLORER, inheritsParentContext: false, seedOf: () => [] };
  const readOnly = { ...local, captures: [pinApproval, () => setReadOnly] };
  root.subagents.registerProvider(localProvider(explorer, readOnly));
  await root.plugin(subagentTool, {
    provider: EXPLORER,
    enableRunInBackground: false,
    persona: EXPLORE,
    toolFilter: { allow: EXPLORER_TOOLS },
    maxDepth: 1,
  });
  if (kind === 'fix') await mountIsolated(root, options, { local, parts });
}

/** Parts of a fix that children make side by side, each in a tree of its own (docs/spec/subagent.md, N2). */
async function mountIsolated(
  root: Context,
  options: RoomOptions,
  { local, parts }: { readonly local: LocalSubagentConfig; readonly parts: Omit<IsolatedParts, 'folder' | 'quiet'> },
): Promise<void> {
  const { checkout } = options;
  // The sweep of unfinished setups knows this folder.
  const folder = join(checkout.mirror.settings.dataDir, SETUP, SETUP_TREES);
  const quiet = quietTree(root);
  await root.plugin(isolatedSubagents, { ...local, openPlace: isolatedPlaces(options, { ...parts, folder, quiet }) });
  await root.plugin(subagentTool, {
    provider: 'spawn-isolated',
    toolName: 'subagent_isolated',
    enableRunInBackground: false,
    persona: IMPLEMENT,
    toolFilter: { allow: IMPLEMENTER_TOOLS },
    maxDepth: 1,
  });
  await root.plugin(applyPatchTool, {
    apply: async (patch, { agent, signal }) => {
      await quiet(agent, signal);
      return applyTreePatch(checkout, patch, signal);
    },
  });
}

function setReadOnly(child: Parameters<typeof setSandboxMode>[0]): void {
  setSandboxMode(child, 'read-only');
}
