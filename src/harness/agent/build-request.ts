import { markAgentLoopRequest } from '../llm/agent-loop-request.ts';
import { HarnessError } from '../llm/errors.ts';
import type { GenerateOptions, LlmCallConfig, Message, ToolSchema } from '../llm/types.ts';
import { canonicalHeader, headerEquals } from '../session/request-header.ts';
import { snapshotJsonValue } from '../session/json.ts';
import type { EpochHeader, RequestHeaderReason } from '../session/types.ts';
import type { Turn } from './turn.ts';

export interface RequestParts {
  readonly system: string;
  readonly tools: ToolSchema[];
  readonly prefix: readonly Message[];
  /** As it stood just before the step began; what is appended later belongs to the next request. */
  readonly history: readonly Message[];
}

/** Logs the header if it is new, then the digest, and returns the frozen request that the log can reproduce. */
export async function buildRequest(turn: Turn, parts: RequestParts): Promise<GenerateOptions> {
  const { loop, number, step } = turn;
  const config = await decideConfig(turn);
  const header = logHeader(turn, { config, system: parts.system, tools: parts.tools, messagePrefix: [...parts.prefix] });
  const request = requestOf(header, parts.history);
  loop.session.append('request/digest', { turn: number, step, sha256: loop.digester.digest(request) });
  return markAgentLoopRequest(Object.freeze({ ...request, signal: turn.signal, sessionId: loop.session.id }));
}

/** The request a header and a history make, without what only routes it. */
export function requestOf(header: EpochHeader, history: readonly Message[]): GenerateOptions {
  const { config, system, tools, messagePrefix = [] } = header;
  return {
    ...config,
    ...(system !== undefined && { system }),
    ...(tools !== undefined && { tools }),
    messages: Object.freeze([...messagePrefix, ...history]) as Message[],
  };
}

/** The first call follows the agent's options, later ones what was last logged; plugins may replace it. */
async function decideConfig(turn: Turn): Promise<LlmCallConfig> {
  const { loop, number, step, signal } = turn;
  const seed = seedConfig(turn);
  const config = await turn.settled(
    loop.events.waterfall('agent/request', number, step, seed, signal, () => Promise.resolve(seed)),
  );
  return complete(snapshotJsonValue(config));
}

export function seedConfig({ loop }: Pick<Turn, 'loop'>): Readonly<Partial<LlmCallConfig>> {
  const { provider, model } = loop.agent.options;
  return (
    loop.session.requestHeader()?.config ??
    Object.freeze({ ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) })
  );
}

function complete(config: Readonly<Partial<LlmCallConfig>>): LlmCallConfig {
  const { provider, model } = config;
  if (provider && model) return { ...config, provider, model };
  throw new HarnessError(`no ${provider ? 'model' : 'provider'} is set for this agent`, 'NO_MODEL');
}

function logHeader({ loop }: Turn, wanted: EpochHeader): EpochHeader {
  const header = canonicalHeader(wanted);
  const logged = loop.session.requestHeader();
  if (!loop.headerLogged || !logged || !headerEquals(logged, header)) {
    const reason: RequestHeaderReason = !logged ? 'initial' : loop.headerLogged ? 'change' : 'resume';
    loop.session.append('request/header', { header, reason });
    loop.headerLogged = true;
  }
  return loop.session.requestHeader() ?? header;
}
