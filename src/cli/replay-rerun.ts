import { agentLoop } from '../harness/agent/agent-loop.ts';
import { agents } from '../harness/agent/registry.ts';
import type { AgentHandle } from '../harness/agent/types.ts';
import { Context } from '../harness/kernel/context.ts';
import { chunkValidator } from '../harness/llm/chunk-validator.ts';
import { llm } from '../harness/llm/llm-service.ts';
import { rebuildRequests } from '../harness/session/rebuild-request.ts';
import type { ComposedRequest } from '../harness/session/compose-request.ts';
import type { Session } from '../harness/session/session.ts';
import { sessionStore } from '../harness/session/session-store.ts';
import type { SessionEvent, TurnEndReason } from '../harness/session/types.ts';
import { systemPrompt } from '../harness/system-prompt/system-prompt.ts';
import { tools } from '../harness/tools/tools.ts';
import { recorded } from '../models/recorded.ts';
import type { ReplayLog } from './replay-log.ts';
import { ReplayDirector } from './replay-director.ts';
import type { TurnRecording } from './replay-recording.ts';

/** What a recorded turn came to when it ran again. */
export interface RerunTurn {
  /** By step. */
  readonly digests: ReadonlyMap<number, string>;
  readonly requests: ReadonlyMap<number, ComposedRequest>;
  readonly end: TurnEndReason | undefined;
  readonly session: Session;
}

/**
 * Runs one turn of a log again in the real agent loop, from the log as it stood before: the model answers with the
 * recorded stream, the tools with the recorded results. No network, no sandbox, no key.
 */
export async function rerunTurn(
  { meta, events }: ReplayLog,
  recording: TurnRecording,
  isProven: (seq: number) => boolean,
): Promise<RerunTurn> {
  const ctx = new Context();
  try {
    await mountLoop(ctx);
    new ReplayDirector(recording, isProven).install(ctx);
    await ctx.plugin(recorded, { recordings: new Map([[meta.id, recording.events]]) });
    await ctx.plugin(chunkValidator);
    const { id: sessionId, version: _version, ...rest } = meta;
    const handle = await ctx.agents.create({ sessionId, meta: rest, seed: events.slice(0, recording.start) });
    start(handle, recording);
    await handle.agent.whenIdle();
    return outcomeOf(handle.agent.session, recording);
  } finally {
    await ctx.fiber.dispose();
  }
}

async function mountLoop(ctx: Context): Promise<void> {
  for (const plugin of [llm, agents]) await ctx.plugin(plugin);
  await ctx.plugin(sessionStore);
  await ctx.plugin(systemPrompt);
  await ctx.plugin(tools);
  await ctx.plugin(agentLoop);
}

function start({ agent, resumeParked }: AgentHandle, { prompt, trigger, results }: TurnRecording): void {
  if (prompt) return agent.send(prompt.content, { source: prompt.source, trigger });
  resumeParked({
    trigger,
    settle: ({ call }) => {
      const result = call && results.get(call.callId)?.[0];
      return result && { kind: 'result', content: result.content, isError: result.isError };
    },
  });
}

function outcomeOf(session: Session, { turn, start }: TurnRecording): RerunTurn {
  const own = [...rebuildRequests(session.events)].filter((request) => request.turn === turn);
  const end = session.events
    .slice(start)
    .findLast((event): event is SessionEvent<'turn/end'> => event.type === 'turn/end');
  return {
    digests: new Map(own.flatMap(({ step, sha256 }) => (sha256 === undefined ? [] : [[step, sha256] as const]))),
    requests: new Map(own.map(({ step, request }) => [step, request] as const)),
    end: end?.data.reason,
    session,
  };
}
