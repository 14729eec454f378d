import type { AgentHandle, SendOptions } from '../../../src/harness/agent/types.ts';
import type { Session } from '../../../src/harness/session/session.ts';
import { forkSubagents } from '../../../src/seams/subagent/fork.ts';
import type { LocalSubagentConfig } from '../../../src/seams/subagent/local-provider.ts';
import { spawnSubagents } from '../../../src/seams/subagent/spawn.ts';
import type { SubagentLimits } from '../../../src/seams/subagent/subagent-limits.ts';
import { subagents } from '../../../src/seams/subagent/subagent-service.ts';
import type {
  SubagentProvider,
  SubagentResult,
  SubagentRun,
  SubagentRunEndInfo,
  SubagentRunInfo,
  SubagentStartRequest,
} from '../../../src/seams/subagent/types.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { bench, text } from '../../harness/agent/agent-bench.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';

export interface SubagentBench extends Bench {
  readonly parent: AgentHandle;
  /** What `subagent/start` and `subagent/end` told anyone, in order. */
  readonly told: [name: 'start' | 'end', info: SubagentRunInfo | SubagentRunEndInfo][];
  /** A request of the parent with a signal nobody aborts. */
  request(prompt?: string, more?: Partial<SubagentStartRequest>): SubagentStartRequest;
  /** One turn of the parent, to its end. */
  turn(prompt?: string, options?: SendOptions): Promise<void>;
}

/** The harness with both local providers, and a parent agent. */
export async function subagentBench(
  script: readonly ScriptedReply[] = [],
  { limits, local }: { limits?: SubagentLimits; local?: LocalSubagentConfig } = {},
): Promise<SubagentBench> {
  const b = await bench(script);
  await b.ctx.plugin(subagents, limits);
  await b.ctx.plugin(spawnSubagents, local);
  await b.ctx.plugin(forkSubagents, local);
  const told: SubagentBench['told'] = [];
  b.ctx.on('subagent/start', (info) => void told.push(['start', info]));
  b.ctx.on('subagent/end', (info) => void told.push(['end', info]));
  const parent = await b.create({ sessionId: SessionId('parent'), meta: { cwd: '/tree' } });
  return {
    ...b,
    parent,
    told,
    request: (prompt = 'look', more = {}) => ({
      prompt: text(prompt),
      parent: parent.agent,
      signal: new AbortController().signal,
      ...more,
    }),
    turn: async (prompt = 'go', options = {}) => {
      parent.agent.send(text(prompt), options);
      await parent.agent.whenIdle();
    },
  };
}

/** A provider without any capability, whose children end as told. */
export function remoteProvider(
  name: string,
  result: Promise<SubagentResult> = Promise.resolve({ output: text('far'), stopReason: 'completed' }),
  more: Partial<SubagentProvider> = {},
): SubagentProvider & { readonly starts: SubagentStartRequest[]; readonly disposals: string[] } {
  const starts: SubagentStartRequest[] = [];
  const disposals: string[] = [];
  return {
    name,
    capabilities: { outputSchema: false, depthLimit: false, toolFilter: false, persona: false },
    inheritsParentContext: false,
    starts,
    disposals,
    start: async (request): Promise<SubagentRun> => {
      starts.push(request);
      return {
        id: SessionId(`${name}-1`),
        localAgent: undefined,
        result,
        dispose: async () => void disposals.push(name),
      };
    },
    ...more,
  };
}

export async function codeOf(work: Promise<unknown> | (() => unknown)): Promise<unknown> {
  try {
    await (typeof work === 'function' ? work() : work);
    return 'no error';
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}

export function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map((block) => block.text ?? '').join('\n');
}

export function promptsOf(session: Session): string[] {
  return session.events.flatMap((event) => (event.type === 'user/message' ? [textOf(event.data.content)] : []));
}
