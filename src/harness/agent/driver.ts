import type { InitiatorScope } from './initiator.ts';
import { IdleWaiters } from './idle-waiters.ts';
import type { Loop } from './loop.ts';
import { runTurn } from './run-turn.ts';
import { TurnCancellation } from './turn-cancellation.ts';
import type { AgentStatus } from './types.ts';

/** Takes queued input one item at a time: the next one only after the turn before it is closed and flushed. */
export class Driver {
  readonly #loop: Loop;
  readonly #initiators: InitiatorScope;
  readonly #waiters = new IdleWaiters();
  #status: AgentStatus = 'idle';
  #mayRun = false;
  #running: Promise<void> | undefined;
  #exit: Promise<void> | undefined;

  constructor(loop: Loop, initiators: InitiatorScope) {
    this.#loop = loop;
    this.#initiators = initiators;
  }

  get status(): AgentStatus {
    return this.#status;
  }

  start(): void {
    this.#mayRun = this.#status !== 'disposed';
    this.wake();
  }

  /** The caller goes on first: queueing never runs anything by itself. */
  wake(): void {
    if (!this.#mayRun || this.#running) return;
    this.#running = Promise.resolve().then(() => this.#initiators.run(this.#loop.agent, () => this.#drain()));
  }

  whenIdle(): Promise<void> {
    if (this.#exit) return this.#exit;
    if (this.#status === 'idle' && !this.#loop.inbox.hasQueued) return Promise.resolve();
    return this.#waiters.wait();
  }

  /** Ends the running turn as disposed and resolves when nothing runs any more. */
  stop(): Promise<void> {
    this.#exit ??= this.#leave();
    return this.#exit;
  }

  async #leave(): Promise<void> {
    this.#mayRun = false;
    this.#loop.inbox.clear();
    this.#setStatus('disposed');
    this.#loop.cancellation?.dispose();
    await this.#running;
    await Promise.all(this.#loop.flushes);
    this.#waiters.settle();
  }

  async #drain(): Promise<void> {
    while (this.#mayRun) {
      if (this.#loop.inbox.hasQueued) await this.#runNext();
      else this.#becomeIdle();
      if (this.#status === 'idle' && !this.#loop.inbox.hasQueued) break;
    }
    this.#running = undefined;
  }

  async #runNext(): Promise<void> {
    const cancellation = new TurnCancellation();
    this.#loop.cancellation = cancellation;
    this.#setStatus('running');
    const item = cancellation.interrupted ? undefined : this.#loop.inbox.claim();
    if (item) await runTurn(this.#loop, item, cancellation);
    else this.#loop.cancellation = undefined;
  }

  #becomeIdle(): void {
    if (this.#status === 'disposed') return;
    const changed = this.#status !== 'idle';
    this.#status = 'idle';
    this.#waiters.settle();
    if (changed) this.#loop.events.emit('agent/status', 'idle');
  }

  #setStatus(status: AgentStatus): void {
    if (this.#status === status || this.#status === 'disposed') return;
    this.#status = status;
    this.#loop.events.emit('agent/status', status);
  }
}
