import { setTimeout as sleep } from 'node:timers/promises';
import { SessionId } from '../harness/session/types.ts';
import { holdLease } from '../store/hold-lease.ts';
import type { HeldLease, LeaseTerms } from '../store/hold-lease.ts';
import type { Records } from '../store/records.ts';
import { SessionActor } from './session-actor.ts';
import type { ActorOptions } from './session-actor.ts';
import { rootOf } from './session-root.ts';

export interface InboxWorkerOptions extends Pick<ActorOptions, 'handle' | 'log'> {
  readonly records: Pick<Records, 'inbox' | 'subjects'>;
  readonly terms: LeaseTerms;
  /** How often it looks for what other processes took in, or left behind when they died. */
  readonly pollMs: number;
}

/** Sessions one process works at once; what else is due waits in the inbox, or goes to another process. */
const MAX_ACTORS = 256;

/**
 * Empties the inbox, together with any number of other processes: each session's deliveries are worked by the one that
 * holds the lease of them, and by the next one when it is lost (H2).
 */
export class InboxWorker {
  readonly #options: InboxWorkerOptions;
  readonly #stopping = new AbortController();
  readonly #actors = new Map<string, SessionActor>();
  readonly #runs = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  #again = false;
  readonly #paused = new AbortController();

  constructor(options: InboxWorkerOptions) {
    this.#options = options;
  }

  start(): void {
    this.nudge();
    this.#timer = setInterval(() => this.nudge(), this.#options.pollMs);
  }

  /** Something new may be due. */
  nudge(): void {
    if (this.#paused.signal.aborted) return;
    this.#again = true;
    this.#pass ??= this.#look();
  }

  /** Resolves when nothing is due that this process could work. */
  async whenIdle(): Promise<void> {
    do {
      this.nudge();
      await this.#pass;
      await Promise.all(this.#runs);
    } while (this.#runs.size > 0 || this.#pass);
  }

  /** Begins nothing more. What runs goes on until `stop`. */
  pause(): void {
    this.#paused.abort();
    clearInterval(this.#timer);
  }

  /** Resolves when nothing runs any more, or after that time. */
  async whenDone(limitMs: number): Promise<void> {
    const done = async () => {
      while (this.#runs.size > 0) await Promise.all(this.#runs);
    };
    await Promise.race([done(), sleep(limitMs, undefined, { ref: false })]);
  }

  /** Hands everything back, and resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.pause();
    this.#stopping.abort({ kind: 'disposed' });
    await this.#pass;
    await Promise.all(this.#runs);
  }

  async #look(): Promise<void> {
    while (this.#again && !this.#paused.signal.aborted) {
      this.#again = false;
      await this.#claimDue().catch((error: unknown) => this.#options.log('the inbox could not be read', error));
    }
    this.#pass = undefined;
  }

  async #claimDue(): Promise<void> {
    const { inbox, subjects } = this.#options.records;
    const due = await inbox.due();
    if (due.length === 0) return;
    const held = await this.#options.terms.leases.held();
    const known = new Map<string, string>();
    for (const { id, key } of due) {
      const root = known.get(key) ?? (await rootOf(key, subjects));
      known.set(key, root);
      const actor = this.#actors.get(root);
      if (actor) {
        if (!actor.isWorking(id)) actor.look(key);
      } else if (!held.has(leaseOf(root)) && this.#actors.size < MAX_ACTORS) await this.#start(root, key);
    }
  }

  async #start(root: string, key: string): Promise<void> {
    const lease = await holdLease(leaseOf(root), this.#options.terms);
    if (!lease) return;
    const actor = new SessionActor({
      ...{ inbox: this.#options.records.inbox, handle: this.#options.handle, log: this.#options.log },
      paused: this.#paused.signal,
      signal: AbortSignal.any([this.#stopping.signal, lease.lost]),
    });
    this.#actors.set(root, actor);
    actor.look(key);
    const run = this.#run(actor, lease).finally(() => {
      this.#actors.delete(root);
      this.#runs.delete(run);
    });
    this.#runs.add(run);
  }

  /** What came between the actor's last look and the release is found by the look after it. */
  async #run(actor: SessionActor, lease: HeldLease): Promise<void> {
    const { log } = this.#options;
    await actor.run().catch((error: unknown) => log('a session could not be worked', error));
    await lease.release().catch((error: unknown) => log('a lease could not be released', error));
    setImmediate(() => this.nudge());
  }
}

/** Who works a session's deliveries; who writes its log is another lease, that of the session itself. */
function leaseOf(root: string): SessionId {
  return SessionId(`work-${root}`);
}
