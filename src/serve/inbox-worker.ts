import { setTimeout as sleep } from 'node:timers/promises';
import { SessionId } from '../harness/session/types.ts';
import { holdLease } from '../store/hold-lease.ts';
import type { HeldLease, LeaseTerms } from '../store/hold-lease.ts';
import type { Holder, Lease } from '../store/lease.ts';
import type { Records } from '../store/records.ts';
import { SessionActor } from './session-actor.ts';
import type { ActorOptions, Handling } from './session-actor.ts';
import type { GitHubEvent } from '../triggers/reading.ts';
import { rootOf } from './session-root.ts';

export interface InboxWorkerOptions extends Pick<ActorOptions, 'log' | 'pauses'> {
  /** What is written beside the logs for the delivery is to be written under the lease. */
  readonly handle: (event: GitHubEvent, handling: Handling & { readonly lease: Lease }) => Promise<void>;
  readonly records: Pick<Records, 'inbox' | 'subjects' | 'under'>;
  readonly terms: LeaseTerms;
  /** How often it looks for what other processes took in, or left behind when they died. */
  readonly pollMs: number;
}

/** Sessions one process works at once; what else is due waits in the inbox, or goes to another process. */
const MAX_ACTORS = 256;
/** A flood is not looked at anew for each of its drops. */
const PASS_PAUSE_MS = 20;

/**
 * Empties the inbox, together with any number of other processes: each session's deliveries are worked by the one that
 * holds the lease of them, and by the next one when it is lost (H2).
 */
export class InboxWorker {
  readonly #options: InboxWorkerOptions;
  readonly #stopping = new AbortController();
  readonly #actors = new Map<string, SessionActor>();
  /** Of the keys that were met already. */
  readonly #byKey = new Map<string, SessionActor>();
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

  /** Something new is due under this key, or somewhere. */
  nudge(key?: string): void {
    if (this.#paused.signal.aborted) return;
    const actor = key === undefined ? undefined : this.#byKey.get(key);
    if (actor) return actor.look(key!);
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
      if (this.#again) await sleep(PASS_PAUSE_MS);
    }
    this.#pass = undefined;
  }

  async #claimDue(): Promise<void> {
    const { inbox, subjects } = this.#options.records;
    const due = await inbox.due();
    if (due.length === 0) return;
    const held = await this.#options.terms.leases.held();
    const known = new Map<string, string>();
    for (const { key, position, count } of due) {
      const root = known.get(key) ?? (await rootOf(key, subjects));
      known.set(key, root);
      // A subject that changed its session in the middle of a delivery stays with whoever works that delivery.
      const actor = this.#byKey.get(key) ?? this.#actors.get(root);
      if (actor) {
        this.#byKey.set(key, actor);
        if (count > actor.countOf(key)) actor.look(key, position);
      } else if (this.#mayStart([root, key].map((one) => held.get(leaseOf(one))))) await this.#start(root, key);
    }
  }

  #mayStart(holders: readonly (Holder | undefined)[]): boolean {
    const { isGone } = this.#options.terms;
    const areGone = holders.every((holder) => holder === undefined || (isGone?.(holder.owner) ?? false));
    return areGone && this.#actors.size < MAX_ACTORS;
  }

  async #start(root: string, key: string): Promise<void> {
    const lease = await holdLease(leaseOf(root), this.#options.terms);
    if (!lease) return;
    const { records, handle, log, pauses } = this.#options;
    const held = lease.lease;
    const actor = new SessionActor({
      // Who lost the lease ends no delivery that another one works on.
      ...{ inbox: records.under(held).inbox, log, pauses },
      handle: (event, handling) => handle(event, { ...handling, lease: held }),
      paused: this.#paused.signal,
      signal: AbortSignal.any([this.#stopping.signal, lease.lost]),
    });
    this.#actors.set(root, actor);
    this.#byKey.set(key, actor);
    actor.look(key);
    const run = this.#run(actor, lease).finally(() => {
      this.#actors.delete(root);
      for (const [other, its] of this.#byKey) if (its === actor) this.#byKey.delete(other);
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
