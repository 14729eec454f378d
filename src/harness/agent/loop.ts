import type { Context } from '../kernel/context.ts';
import type { LlmService } from '../llm/llm-service.ts';
import type { CallId, Message } from '../llm/types.ts';
import type { Session } from '../session/session.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { SystemPrompt } from '../system-prompt/system-prompt.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { AgentEvents } from './agent-events.ts';
import { Inbox } from './inbox.ts';
import type { ParkReport } from './parked.ts';
import { RequestDigester } from '../session/request-digest.ts';
import type { TurnCancellation } from './turn-cancellation.ts';
import type { Agent } from './types.ts';

export interface LoopServices {
  readonly llm: LlmService;
  readonly tools: ToolRegistry;
  readonly systemPrompt: SystemPrompt;
  readonly sessions: SessionStore;
  readonly ctx: Context;
  readonly maxParallelToolCalls: number;
}

/** What one loop instance knows beside the log. One instance drives one session. */
export class Loop {
  readonly agent: Agent;
  readonly session: Session;
  readonly events: AgentEvents;
  readonly services: LoopServices;
  readonly inbox = new Inbox();

  /** Absent between turns: what is over cannot be cancelled. */
  cancellation: TurnCancellation | undefined;
  /** Where the running turn may be parked: at one of these calls, or while it decides whether to go on. */
  readonly waitingCalls = new Set<CallId>();
  deciding = false;
  /** While set, contexts wait: nothing may stand between a call and its result. */
  surfaceHeld: boolean;
  readonly digester = new RequestDigester();
  /** Composed once per instance. */
  sessionPrefix: readonly Message[] | undefined;
  headerLogged = false;
  /** Flushes of one-shot turns that are still under way. */
  readonly flushes = new Set<Promise<void>>();
  /** Settles when the turn that is being parked has ended. */
  parking: PromiseWithResolvers<ParkReport> | undefined;

  constructor(agent: Agent, session: Session, events: AgentEvents, services: LoopServices) {
    this.agent = agent;
    this.session = session;
    this.events = events;
    this.services = services;
    this.surfaceHeld = session.parkedCalls.length > 0;
  }

  reportError(turn: number, step: number, error: unknown): void {
    this.events.emit('agent/error', turn, step, error);
  }
}
