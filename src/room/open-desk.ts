import type { Desk } from '../bot/job/desk.ts';
import { DEFAULT_CONFIG } from '../config/default-config.ts';
import { agentLoop } from '../harness/agent/agent-loop.ts';
import { agents } from '../harness/agent/registry.ts';
import { Context } from '../harness/kernel/context.ts';
import type { Plugin } from '../harness/kernel/context.ts';
import { llm } from '../harness/llm/llm-service.ts';
import { scopeInvariants } from '../harness/scope/scope-invariants.ts';
import { sessionStore } from '../harness/session/session-store.ts';
import type { SessionId } from '../harness/session/types.ts';
import { systemPrompt } from '../harness/system-prompt/system-prompt.ts';
import { tools } from '../harness/tools/tools.ts';
import type { Language } from '../publish/language.ts';
import { checkpointPolicy } from '../store/checkpoint-policy.ts';
import { mountCommands } from './mount-commands.ts';
import { mountPlugins } from './mount-plugins.ts';
import { mountNaming } from './mount-titles.ts';

export interface DeskParts {
  /** For what people command that none of ours understands. */
  readonly plugins?: readonly Plugin<void>[];
  /** Of what commands are answered with; by default that of the person's words. */
  readonly language?: Language | undefined;
  readonly persistence: Plugin<void>;
  readonly log: (message: string, error?: unknown) => void;
}

/**
 * Works with a stored session between its turns: its agent without a sandbox and without a model, for commands that change
 * what the log says. Undefined where the session has no log.
 */
export async function atDesk<T>(
  session: SessionId,
  signal: AbortSignal,
  parts: DeskParts,
  work: (desk: Desk) => Promise<T>,
): Promise<T | undefined> {
  const root = new Context();
  try {
    await mountDesk(root, parts);
    await mountPlugins(root, parts.plugins ?? [], parts.log);
    if (!(await root.persistence.has(session))) return undefined;
    const handle = await root.agents.resume({ resumeSessionId: session, signal });
    try {
      return await work({ ctx: root, agent: handle.agent });
    } finally {
      await handle.dispose();
    }
  } finally {
    await root.fiber.dispose();
  }
}

/** What stands at a desk, whatever session is worked with. */
export async function mountDesk(root: Context, { persistence, log, language }: DeskParts): Promise<void> {
  root.on('kernel/error', (error, origin) => log(`${origin} failed`, error));
  await root.plugin(scopeInvariants);
  await root.plugin(sessionStore);
  await root.plugin(persistence, undefined);
  for (const plugin of [systemPrompt, tools, llm, agents]) await root.plugin(plugin as Plugin, undefined);
  await root.plugin(checkpointPolicy);
  await root.plugin(agentLoop);
  await mountCommands(root, { maxGoalRounds: DEFAULT_CONFIG.goal.maxRounds, language });
  await mountNaming(root);
}
