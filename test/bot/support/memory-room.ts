import { Context } from '../../../src/harness/kernel/context.ts';
import { agentLoop } from '../../../src/harness/agent/agent-loop.ts';
import { agents } from '../../../src/harness/agent/registry.ts';
import { llm } from '../../../src/harness/llm/llm-service.ts';
import { retryPlugin } from '../../../src/harness/llm/llm-retry.ts';
import { scopeInvariants } from '../../../src/harness/scope/scope-invariants.ts';
import { sessionStore } from '../../../src/harness/session/session-store.ts';
import { systemPrompt } from '../../../src/harness/system-prompt/system-prompt.ts';
import { tools } from '../../../src/harness/tools/tools.ts';
import { toolOrderOf } from '../../../src/bot/prompts/tool-order.ts';
import type { Room, RoomOptions } from '../../../src/bot/job/room.ts';
import { mountHistory } from '../../../src/room/mount-history.ts';
import { mountHooks } from '../../../src/room/mount-hooks.ts';
import { DEFAULT_SANDBOX_IMAGE } from '../../../src/docker/default-image.ts';
import { mountSubagents } from '../../../src/room/mount-subagents.ts';
import { mountTitles } from '../../../src/room/mount-titles.ts';
import { WORKSPACE, mountTools } from '../../../src/room/open-room.ts';
import { sandboxPolicyPlugin } from '../../../src/seams/sandbox/sandbox-policy.ts';
import type { MemoryBash } from '../../support/memory-bash.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import type { ScriptedModel } from '../../support/scripted-model.ts';

/** A room as the product opens it, but for the container, the model and the store: those are in memory. */
export async function openMemoryRoom(options: RoomOptions, model: ScriptedModel, bash: MemoryBash): Promise<Room> {
  const { session, kind, mode, target, signal, setUp } = options;
  const root = new Context();
  for (const plugin of [scopeInvariants, llm, agents]) await root.plugin(plugin);
  await root.plugin(sessionStore);
  await root.plugin(systemPrompt, { toolOrder: toolOrderOf(kind) });
  await root.plugin(tools);
  root.llm.registerAdapter([target.provider], model);
  await root.plugin(retryPlugin({ wait: async () => {}, random: () => 0 }), { maxRetries: 5, maxDelayMs: 60_000 });
  await root.plugin(sandboxPolicyPlugin, { mode, workspaceRoot: WORKSPACE, canonicalize: (path) => path });
  root.provide('bash', bash);
  root.provide('fs', new MemoryFileSystem({}, { cwd: WORKSPACE, mode }));
  await root.plugin(agentLoop);
  await mountTools(root, { kind, mode }, { image: DEFAULT_SANDBOX_IMAGE });
  await mountSubagents(root, options);
  await mountTitles(root, options);
  await mountHistory(root, options);
  await mountHooks(root, options);
  const handle = await root.agents.create({
    sessionId: session,
    meta: { cwd: WORKSPACE },
    agentOptions: { ...target },
    signal,
    setup: (agentCtx) => setUp(agentCtx, root),
  });
  return { ctx: root, handle, close: async () => void (await handle.dispose(), await root.fiber.dispose()) };
}
