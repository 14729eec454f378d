import { randomUUID } from 'node:crypto';
import { installAgentLlmTarget } from '../../harness/agent/llm-target.ts';
import type { Agent, AgentHandle, AgentLlmTarget, CreateAgentOptions } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { Session } from '../../harness/session/session.ts';
import { SessionId } from '../../harness/session/types.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { childDepth } from './delegation-depth.ts';
import { LocalRun } from './local-run.ts';
import { captureStructuredOutput } from './structured-output.ts';
import type { StructuredCapture } from './structured-output.ts';
import { sharedPlace } from './work-place.ts';
import type { OpenWorkPlace, WorkPlace } from './work-place.ts';
import type { SubagentProvider, SubagentRun, SubagentStartRequest } from './types.ts';

/**
 * What a delegating agent stands under and its log says, such as a sandbox mode. Read at once when it delegates; what
 * is returned writes it into the fresh log of the child, within its first turn.
 */
export type CaptureOverrides = (parent: Agent) => (child: Session) => void;

export interface LocalSubagentConfig {
  readonly captures?: readonly CaptureOverrides[];
  /** Registers what each child has of its own, before anyone sees it. */
  readonly setUp?: (childCtx: Context, parent: Agent) => void;
  readonly newId?: (parent: Agent) => string;
}

export interface LocalKind {
  readonly name: string;
  readonly inheritsParentContext: boolean;
  seedOf(parent: Session): readonly SessionEvent[];
  /** Gives each child a tree of its own; absent, it works on its parent's. */
  readonly openPlace?: OpenWorkPlace;
}

/** Runs children as agents of this process: their own log, the parent's services. */
export function localProvider(kind: LocalKind, config: LocalSubagentConfig): SubagentProvider {
  return {
    name: kind.name,
    inheritsParentContext: kind.inheritsParentContext,
    isIsolated: kind.openPlace !== undefined,
    capabilities: { outputSchema: true, depthLimit: true, toolFilter: true, persona: true },
    start: (request) => startLocalRun(kind, config, request),
  };
}

async function startLocalRun(
  kind: LocalKind,
  config: LocalSubagentConfig,
  request: SubagentStartRequest,
): Promise<SubagentRun> {
  const { parent, signal, maxDepth, agentOptions } = request;
  signal.throwIfAborted();
  const delegationDepth = childDepth(parent, maxDepth);
  const overrides = (config.captures ?? []).map((capture) => capture(parent));
  const seed = kind.seedOf(parent.session);
  const { cwd } = parent.session.header;
  const sessionId = SessionId((config.newId ?? childId)(parent));
  let structured: StructuredCapture | undefined;
  const place = kind.openPlace ? await kind.openPlace(parent, sessionId, signal) : sharedPlace(parent);
  const handle = await createIn(place, {
    sessionId,
    seed,
    meta: {
      parentSession: parent.id,
      delegationDepth,
      ...(cwd !== undefined && { cwd }),
      ...(seed.length > 0 && { seedLength: seed.length }),
    },
    agentOptions: { ...agentOptions, ...routeOf(request), subagentDepth: delegationDepth },
    signal,
    setup: (childCtx) => {
      structured = setUpChild(childCtx, request);
      inFirstTurn(childCtx, (child) => overrides.forEach((write) => write(child)));
      config.setUp?.(childCtx, parent);
    },
  });
  if (signal.aborted) {
    await handle.dispose().finally(() => place.close());
    throw signal.reason;
  }
  return new LocalRun({ handle, signal, structured, place }, request.prompt);
}

async function createIn(place: WorkPlace, options: CreateAgentOptions): Promise<AgentHandle> {
  try {
    return await place.create(options);
  } catch (error) {
    await place.close();
    throw error;
  }
}

function childId({ id }: Agent): string {
  return `${id}-sub-${randomUUID()}`;
}

/** What was asked for, else what the parent's last request went to. */
function routeOf({ parent, agentOptions = {} }: SubagentStartRequest): Partial<AgentLlmTarget> {
  const { provider, model } = { ...parent.options, ...parent.session.requestHeader()?.config, ...agentOptions };
  return { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) };
}

function setUpChild(childCtx: Context, request: SubagentStartRequest): StructuredCapture | undefined {
  const { persona, toolFilter, outputSchema } = request;
  const { provider, model } = routeOf(request);
  if (provider !== undefined && model !== undefined) {
    installAgentLlmTarget(childCtx, { current: { provider, model }, assembled: undefined });
  }
  if (persona !== undefined) childCtx.systemPrompt.section({ name: 'deployment:persona', order: 0, text: persona });
  if (toolFilter !== undefined) childCtx.tools.restrict(toolFilter);
  return outputSchema && captureStructuredOutput(childCtx, outputSchema);
}

/** A log takes nothing outside turns, so the first moment to write is that of the prompt. */
function inFirstTurn(childCtx: Context, write: (child: Session) => void): void {
  let isWritten = false;
  childCtx.on(
    'agent/prompt-submit',
    async (child, _content, _source, _signal, next) => {
      if (!isWritten) write(child.session);
      isWritten = true;
      return next();
    },
    { prepend: true },
  );
}
