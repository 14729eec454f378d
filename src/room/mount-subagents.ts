import type { RoomOptions } from '../bot/job/room.ts';
import { EXPLORE } from '../bot/prompts/explore.ts';
import type { Context } from '../harness/kernel/context.ts';
import { setSandboxMode } from '../seams/sandbox/sandbox-mode.ts';
import { captureSandboxMode } from '../seams/subagent/capture-sandbox-mode.ts';
import { forkSubagents } from '../seams/subagent/fork.ts';
import { localProvider } from '../seams/subagent/local-provider.ts';
import type { LocalSubagentConfig } from '../seams/subagent/local-provider.ts';
import { pinApproval } from '../seams/subagent/pin-approval.ts';
import { spawnSubagents } from '../seams/subagent/spawn.ts';
import { subagentTool } from '../seams/subagent/subagent-tool.ts';
import { subagents } from '../seams/subagent/subagent-service.ts';

/** For one session (docs/spec/subagent.md, N5). */
const LIMITS = { live: 4, perTurn: 20 };

/** The provider behind the model's tool: a spawned child whose commands and files cannot write the tree. */
export const EXPLORER = 'explore';
const EXPLORER_TOOLS = ['read', 'grep', 'glob', 'bash'];

/** Child agents of a session: for the host always, for the model where it is configured. */
export async function mountSubagents(
  root: Context,
  { kind, config, setUpChild }: Pick<RoomOptions, 'kind' | 'config' | 'setUpChild'>,
): Promise<void> {
  const local: LocalSubagentConfig = {
    captures: [captureSandboxMode, pinApproval],
    setUp: (childCtx) => setUpChild?.(childCtx, root),
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
}

function setReadOnly(child: Parameters<typeof setSandboxMode>[0]): void {
  setSandboxMode(child, 'read-only');
}
