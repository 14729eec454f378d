import type { ContentBlock, LlmCallConfig, LlmFailure, Message, MessageSource } from '../llm/types.ts';
import type { SessionId } from '../session/types.ts';
import type {
  Agent,
  AgentCancelCause,
  AgentStatus,
  ContinuationDecision,
  ContinuationStop,
  HookContext,
  PromptDecision,
  RequestError,
  RequestErrorDecision,
  SessionStartSource,
} from './types.ts';

/** What `agent/queued` tells beside the accepted content; all of it is frozen. */
export interface QueuedInfo {
  readonly source: MessageSource;
  readonly contexts: readonly HookContext[];
  readonly steering: boolean;
}

type Awaitable<T> = T | Promise<T>;

/** Everything here is scope-filtered by the agent, which is the first argument; dispatch it with `agentEvents`. */
declare module '../kernel/context.ts' {
  interface Events {
    /** A synchronous throw vetoes publication. */
    'agent/created'(agent: Agent): void;
    'agent/disposed'(agent: Agent): void;
    'agent/status'(agent: Agent, status: AgentStatus): void;
    'agent/queued'(agent: Agent, content: readonly ContentBlock[], info: QueuedInfo): void;
    'agent/cancel-requested'(agent: Agent, cause: AgentCancelCause): void;
    'agent/session-start'(agent: Agent, source: SessionStartSource): void;
    'agent/prompt-submit'(
      agent: Agent,
      content: readonly ContentBlock[],
      source: MessageSource,
      signal: AbortSignal,
      next: () => Promise<PromptDecision>,
    ): Awaitable<PromptDecision>;
    /** Contribute as `[mine, ...(await next())]`. */
    'agent/session-prefix'(
      agent: Agent,
      prefix: readonly Message[],
      signal: AbortSignal,
      next: () => Promise<readonly Message[]>,
    ): Awaitable<readonly Message[]>;
    /** Serial checkpoints: a returned value would cut off the listeners after it. */
    'agent/pre-step'(agent: Agent, turn: number, step: number, signal: AbortSignal): Awaitable<void>;
    'agent/post-step'(agent: Agent, turn: number, step: number, signal: AbortSignal): Awaitable<void>;
    'agent/request'(
      agent: Agent,
      turn: number,
      step: number,
      config: Readonly<Partial<LlmCallConfig>>,
      signal: AbortSignal,
      next: () => Promise<Readonly<Partial<LlmCallConfig>>>,
    ): Awaitable<Readonly<Partial<LlmCallConfig>>>;
    'agent/step-result'(
      agent: Agent,
      turn: number,
      step: number,
      message: Message,
      signal: AbortSignal,
      next: () => Promise<Message>,
    ): Awaitable<Message>;
    'agent/request-error'(
      agent: Agent,
      turn: number,
      step: number,
      error: RequestError,
      failure: LlmFailure,
      priorFailures: readonly LlmFailure[],
      signal: AbortSignal,
      next: () => Promise<RequestErrorDecision>,
    ): Awaitable<RequestErrorDecision>;
    'agent/turn-continuation'(
      agent: Agent,
      turn: number,
      defaultDecision: ContinuationDecision,
      signal: AbortSignal,
      next: () => Promise<ContinuationDecision>,
    ): Awaitable<ContinuationDecision>;
    'agent/turn-stop'(agent: Agent, turn: number, signal: AbortSignal): Awaitable<ContinuationStop | undefined>;
    'agent/error'(agent: Agent, turn: number, step: number, error: unknown): void;
    /** Unscoped: an agent named in the loop's configuration did not start. */
    'agent-loop/config-start-failed'(sessionId: SessionId, error: unknown): void;
  }
}

declare module '../system-prompt/types.ts' {
  interface AssembleContext {
    agent?: Agent;
  }
}
