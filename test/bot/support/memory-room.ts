import type { SessionId } from '../../../src/harness/session/types.ts';
import { Context } from '../../../src/harness/kernel/context.ts';
import type { Plugin } from '../../../src/harness/kernel/context.ts';
import { agentLoop } from '../../../src/harness/agent/agent-loop.ts';
import { agents } from '../../../src/harness/agent/registry.ts';
import type { LlmAdapter } from '../../../src/harness/llm/llm-adapter.ts';
import { llm } from '../../../src/harness/llm/llm-service.ts';
import { retryPlugin } from '../../../src/harness/llm/llm-retry.ts';
import { scopeInvariants } from '../../../src/harness/scope/scope-invariants.ts';
import { sessionStore } from '../../../src/harness/session/session-store.ts';
import { systemPrompt } from '../../../src/harness/system-prompt/system-prompt.ts';
import { tools } from '../../../src/harness/tools/tools.ts';
import { toolOrderOf } from '../../../src/bot/prompts/tool-order.ts';
import type { Room, RoomOptions } from '../../../src/bot/job/room.ts';
import { offersEscalation } from '../../../src/bot/limits/offers-escalation.ts';
import { mountCommands } from '../../../src/room/mount-commands.ts';
import { mountHistory } from '../../../src/room/mount-history.ts';
import { mountHooks } from '../../../src/room/mount-hooks.ts';
import { DEFAULT_SANDBOX_IMAGE } from '../../../src/docker/default-image.ts';
import { mountSkillTool, mountSkills } from '../../../src/room/mount-skills.ts';
import { mountSubagents } from '../../../src/room/mount-subagents.ts';
import { mountTitles } from '../../../src/room/mount-titles.ts';
import { WORKSPACE, mountTools } from '../../../src/room/open-room.ts';
import { approval } from '../../../src/seams/approval/approval.ts';
import { permission } from '../../../src/seams/approval/permission-service.ts';
import { sandboxPolicyPlugin } from '../../../src/seams/sandbox/sandbox-policy.ts';
import { userInteraction } from '../../../src/seams/user-interaction/user-interaction-service.ts';
import type { MemoryBash } from '../../support/memory-bash.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';

export interface MemoryRoomParts {
  /** Where the session is kept; without it, it ends with the room. */
  readonly persistence?: Plugin<void>;
  /** Skills are laid out here; with it the room has skills, and people can be asked. */
  readonly spillDir?: string;
  /** What the model's file tools find, by absolute path. */
  readonly files?: Record<string, string>;
  /** Gets the work tree of each child that has one of its own, by its session. */
  readonly childTrees?: Map<SessionId, string>;
}

/** A room as the product opens it, but for the container, the model and the store: those are in memory. */
export async function openMemoryRoom(
  options: RoomOptions,
  model: LlmAdapter,
  bash: MemoryBash,
  { persistence, spillDir, files = {}, childTrees }: MemoryRoomParts = {},
): Promise<Room> {
  const { session, kind, mode, target, signal, setUp } = options;
  const root = new Context();
  for (const plugin of [scopeInvariants, llm, agents]) await root.plugin(plugin);
  await root.plugin(sessionStore);
  if (persistence) await root.plugin(persistence, undefined);
  await root.plugin(systemPrompt, { toolOrder: toolOrderOf(kind) });
  await root.plugin(tools);
  root.llm.registerAdapter([target.provider], model);
  await root.plugin(retryPlugin({ wait: async () => {}, random: () => 0 }), { maxRetries: 5, maxDelayMs: 60_000 });
  await root.plugin(sandboxPolicyPlugin, { mode, workspaceRoot: WORKSPACE, canonicalize: (path) => path });
  root.provide('bash', bash);
  root.provide('fs', new MemoryFileSystem(files, { cwd: WORKSPACE, mode }));
  await root.plugin(agentLoop);
  await mountTools(root, spillDir === undefined ? { kind, mode } : await mountPeople(root, options, spillDir), {
    image: DEFAULT_SANDBOX_IMAGE,
  });
  const openRoom = (child: RoomOptions) => {
    childTrees?.set(child.session, child.checkout.workTree);
    return openMemoryRoom(child, model, bash, { ...(persistence && { persistence }) });
  };
  await mountSubagents(root, options, { boot: 'test', openRoom });
  await mountTitles(root, options);
  await mountHistory(root, options);
  await mountHooks(root, options);
  if (spillDir !== undefined) await mountSkillTool(root, options, { cwd: WORKSPACE });
  const shared = { agentOptions: { ...target }, signal, setup: (agentCtx: Context) => setUp(agentCtx, root) };
  const handle = options.child
    ? await root.agents.create(options.child)
    : (await root.get('persistence')?.has(session))
      ? await root.agents.resume({ resumeSessionId: session, ...shared })
      : await root.agents.create({ sessionId: session, meta: { cwd: WORKSPACE }, ...shared });
  return { ctx: root, handle, close: async () => void (await handle.dispose(), await root.fiber.dispose()) };
}

/** What a room has besides, and the options that its tools are mounted with. */
async function mountPeople(root: Context, options: RoomOptions, spillDir: string) {
  await mountSkills(root, options, { cwd: WORKSPACE, spillDir });
  await root.plugin(approval, { policy: options.approvalPolicy });
  await root.plugin(userInteraction);
  await root.plugin(permission, undefined);
  const { networkBound } = options.config;
  await mountCommands(root, { maxGoalRounds: options.config.goal.maxRounds });
  const asksPeople = options.approvalPolicy !== 'never';
  return { ...options, networkBound, escalation: offersEscalation(options), asksPeople };
}
