import type { Context } from '../kernel/context.ts';
import type { ContentBlock, MessageSource } from '../llm/types.ts';
import type { ParkReport, ParkRequest, ResumeParkedOptions } from './parked.ts';
import type { Session } from '../session/session.ts';
import type { JsonValue, SessionEvent, SessionId, TurnTrigger } from '../session/types.ts';

export type AgentStatus = 'idle' | 'running' | 'disposed';

/** Open. Provider and model are needed by the time a request is dispatched. */
export interface AgentOptions {
  provider?: string;
  model?: string;
}

/** Context for the model that travels with a prompt, a decision or a tool result. */
export interface HookContext {
  content: ContentBlock[];
  source: MessageSource;
  placement?: 'separate' | 'prompt-prefix';
  meta?: JsonValue;
}

/** Open. An omitted `source` attests direct human input; an omitted `trigger` means `message`. */
export interface SendOptions {
  source?: MessageSource;
  contexts?: HookContext[];
  trigger?: TurnTrigger;
}
export interface InjectOptions {
  source?: MessageSource;
  meta?: JsonValue;
}

export type AgentCancelCause = { readonly kind: 'user' } | { readonly kind: 'parent' };
/** What the turn signal's `reason` holds once it is aborted. */
export type AgentInterruptReason = AgentCancelCause | { readonly kind: 'disposed' } | { readonly kind: 'parked' };

export type PromptDecision =
  { kind: 'allow'; content?: ContentBlock[]; additionalContexts?: HookContext[] } | { kind: 'block'; reason: string };
export type ContinuationDecision =
  { action: 'stop' } | { action: 'continue'; reason?: { content: ContentBlock[]; source: MessageSource } };
export type ContinuationStop = Extract<ContinuationDecision, { action: 'stop' }>;
export type RequestError = Error & { code?: string };
export type RequestErrorDecision = { action: 'fail' } | { action: 'retry' };
export type SessionStartSource = 'startup' | 'resume' | 'clear' | 'compact';

/** The only surface through which anything drives one conversation. */
export interface Agent {
  readonly id: SessionId;
  readonly options: AgentOptions;
  readonly session: Session;
  readonly status: AgentStatus;
  readonly ctx: Context;
  send(content: ContentBlock[], options?: SendOptions): void;
  steer(content: ContentBlock[], options?: SendOptions): void;
  inject(content: ContentBlock[], options?: InjectOptions): void;
  cancel(cause?: AgentCancelCause): void;
  whenIdle(): Promise<void>;
}

/** Disposal and parking belong to the creator, not to whoever holds the agent. */
export interface AgentHandle {
  agent: Agent;
  /** Every caller awaits the same completion. */
  dispose(): Promise<void>;
  /**
   * Ends the running turn as parked and resolves once that is durable, with the prompts it left unstarted.
   * Resolves with `parked: false` when the turn does not wait there (any more), or ended otherwise.
   */
  park(request: ParkRequest): Promise<ParkReport>;
  /** Queues the turn that answers a parked one, before everything else. Throws `NOT_PARKED`. */
  resumeParked(options: ResumeParkedOptions): void;
}

export interface CreateAgentOptions {
  sessionId: SessionId;
  meta?: { cwd?: string; parentSession?: SessionId; seedLength?: number; delegationDepth?: number };
  seed?: readonly SessionEvent[];
  agentOptions?: AgentOptions;
  signal?: AbortSignal;
  setup?(agentCtx: Context): Promise<void> | void;
}
export interface ResumeAgentOptions {
  resumeSessionId: SessionId;
  agentOptions?: AgentOptions;
  signal?: AbortSignal;
  setup?(agentCtx: Context): Promise<void> | void;
}
export interface AgentFactory {
  createAgent(ownerCtx: Context, options: CreateAgentOptions): Promise<AgentHandle>;
  resume(ownerCtx: Context, options: ResumeAgentOptions): Promise<AgentHandle>;
}
export interface AgentLlmTarget {
  provider: string;
  model: string;
}
export interface AgentLlmTargetRef {
  current: AgentLlmTarget | undefined;
  assembled: AgentLlmTarget | undefined;
}
