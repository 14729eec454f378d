import type { Context } from '../kernel/context.ts';
import { HarnessError } from '../llm/errors.ts';
import type { ContentBlock } from '../llm/types.ts';
import { createScope } from '../scope/scope.ts';
import type { Scope } from '../scope/scope.ts';
import { snapshotJsonValue } from '../session/json.ts';
import type { Session } from '../session/session.ts';
import type { SessionId } from '../session/types.ts';
import { agentEvents } from './agent-events.ts';
import { Driver } from './driver.ts';
import type { QueuedPrompt } from './inbox.ts';
import { inject } from './inject.ts';
import { Loop } from './loop.ts';
import type { LoopServices } from './loop.ts';
import type { ParkReport, ParkRequest, ResumeParkedOptions } from './parked.ts';
import { isParked } from './session-log.ts';
import { snapshotInjection, snapshotPrompt } from './snapshot-input.ts';
import type { Agent, AgentCancelCause, AgentOptions, AgentStatus, InjectOptions, SendOptions } from './types.ts';

/** An agent with its scope, its inbox and its driver. What only the creator may do is not part of `Agent`. */
export class LiveAgent implements Agent {
  readonly options: AgentOptions;
  readonly session: Session;
  readonly scope: Scope;
  readonly #loop: Loop;
  readonly #driver: Driver;

  constructor(session: Session, options: AgentOptions, services: LoopServices) {
    this.session = session;
    this.options = Object.freeze({ ...options });
    this.scope = createScope(services.ctx, this);
    this.#loop = new Loop(this, session, agentEvents(services.ctx, this), services);
    this.#driver = new Driver(this.#loop, services.ctx.agents.initiators);
  }

  get id(): SessionId {
    return this.session.id;
  }

  get ctx(): Context {
    return this.scope.ctx;
  }

  get status(): AgentStatus {
    return this.#driver.status;
  }

  send(content: ContentBlock[], options?: SendOptions): void {
    this.#assertLive();
    const prompt = snapshotPrompt(content, options);
    this.#loop.inbox.enqueue(prompt);
    this.#tellQueued(prompt, false);
    this.#driver.wake();
  }

  steer(content: ContentBlock[], options?: SendOptions): void {
    if (this.status !== 'running') return this.send(content, options);
    const prompt = snapshotPrompt(content, options);
    this.#loop.inbox.steer(prompt);
    this.#tellQueued(prompt, true);
  }

  inject(content: ContentBlock[], options?: InjectOptions): void {
    this.#assertLive();
    inject(this.#loop, snapshotInjection(content, options));
  }

  cancel(cause: AgentCancelCause = { kind: 'user' }): void {
    const { inbox } = this.#loop;
    if (!this.#loop.cancellation && !inbox.hasWaking) return;
    const copy = Object.freeze({ kind: cause.kind });
    this.#loop.events.emit('agent/cancel-requested', copy);
    inbox.clear();
    this.#loop.cancellation?.cancel(copy);
  }

  whenIdle(): Promise<void> {
    return this.#driver.whenIdle();
  }

  start(): void {
    this.#driver.start();
  }

  stop(): Promise<void> {
    return this.#driver.stop();
  }

  /** Ends the running turn as parked. Refused unless it waits at the named call, or is deciding whether to stop. */
  async park(request: ParkRequest): Promise<ParkReport> {
    const { cancellation, waitingCalls, deciding } = this.#loop;
    const waits = request.callId === undefined ? deciding : waitingCalls.has(request.callId);
    if (!cancellation || cancellation.interrupted || !waits) return { parked: false, unstarted: [] };
    this.#loop.parking = Promise.withResolvers();
    const { promise } = this.#loop.parking;
    cancellation.park(snapshotJsonValue(request));
    return promise;
  }

  resumeParked({ trigger, settle }: ResumeParkedOptions): void {
    this.#assertLive();
    if (!isParked(this.session)) throw new HarnessError(`session ${this.id} is not parked`, 'NOT_PARKED');
    this.#loop.inbox.enqueueResume({ trigger: snapshotJsonValue(trigger), settle });
    this.#driver.wake();
  }

  #tellQueued({ content, source, contexts }: QueuedPrompt, steering: boolean): void {
    this.#loop.events.emit('agent/queued', content, Object.freeze({ source, contexts, steering }));
  }

  #assertLive(): void {
    if (this.status === 'disposed') throw new HarnessError(`agent ${this.id} is disposed`, 'AGENT_DISPOSED');
  }
}
