import { markAgentLoopRequest } from '../llm/agent-loop-request.ts';
import { HarnessError } from '../llm/errors.ts';
import type { GenerateOptions, LlmCallConfig, Message, ToolSchema } from '../llm/types.ts';
import { composeRequest } from '../session/compose-request.ts';
import { canonicalHeader, headerEquals } from '../session/request-header.ts';
import { snapshotJsonValue } from '../session/json.ts';
import type { EpochHeader } from '../session/types.ts';
import type { Loop } from './loop.ts';
import type { Turn } from './turn.ts';

export interface RequestParts {
  readonly system: string;
  readonly tools: ToolSchema[];
  readonly prefix: readonly Message[];
  /** As it stood just before the step began; what is appended later belongs to the next request. */
  readonly history: readonly Message[];
}

/**
 * Logs the header if it is new, then the digest, and returns the frozen request, which the log can reproduce.
 * @throws HarnessError `NO_MODEL` when nobody named a provider or a model
 */
export async function buildRequest(turn: Turn, parts: RequestParts): Promise<GenerateOptions> {
  const { loop, number, step } = turn;
  const { system, tools, prefix, history } = parts;
  const header = logHeader(loop, { config: await decideConfig(turn), system, tools, messagePrefix: [...prefix] });
  const request = composeRequest(header, history);
  loop.session.append('request/digest', { turn: number, step, sha256: loop.digester.digest(request) });
  return markAgentLoopRequest(Object.freeze({ ...request, signal: turn.signal, sessionId: loop.session.id }));
}

async function decideConfig(turn: Turn): Promise<LlmCallConfig> {
  const { loop, number, step, signal } = turn;
  const seed = seedConfig(loop);
  const config = await turn.settled(
    loop.events.waterfall('agent/request', number, step, seed, signal, () => Promise.resolve(seed)),
  );
  return withRoute(snapshotJsonValue(config));
}

/** The first call follows the agent's options, later ones what was last logged. */
function seedConfig({ agent, session }: Loop): Readonly<Partial<LlmCallConfig>> {
  const { provider, model } = agent.options;
  return (
    session.requestHeader()?.config ??
    Object.freeze({ ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) })
  );
}

function withRoute(config: Readonly<Partial<LlmCallConfig>>): LlmCallConfig {
  const { provider, model } = config;
  if (provider && model) return { ...config, provider, model };
  throw new HarnessError(`no ${provider ? 'model' : 'provider'} is set for this agent`, 'NO_MODEL');
}

/** Every instance of the loop logs its first header, later ones only if something changed. */
function logHeader(loop: Loop, wanted: EpochHeader): EpochHeader {
  const { session } = loop;
  const logged = session.requestHeader();
  if (logged && loop.headerLogged && headerEquals(logged, wanted)) return logged;
  const reason = logged ? (loop.headerLogged ? 'change' : 'resume') : 'initial';
  const event = session.append('request/header', { header: canonicalHeader(wanted), reason });
  loop.headerLogged = true;
  return event.data.header;
}
