import type { JsonValue, SessionId } from '../harness/session/types.ts';
import type { Lease } from './lease.ts';

/**
 * What a process must know beside the session logs, in the same database and kept as durably: which deliveries are still
 * to be worked, what people were asked, which session an issue belongs to. All times are epoch milliseconds.
 */
export interface Records {
  readonly inbox: Inbox;
  readonly causes: Causes;
  readonly requests: HumanRequests;
  readonly snapshots: Snapshots;
  readonly subjects: Subjects;
  readonly settings: SessionSettingsStore;
  readonly spending: Spending;
  /**
   * The same for who holds this lease: once another one took it, every write rejects with `STALE_LEASE`, decided in the
   * transaction of the write itself (persistence.md B1).
   */
  under(lease: Lease): Records;
}

/** Deliveries from the moment they were answered for until all they asked for is done (H1, H2). */
export interface Inbox {
  /** False where this delivery id is known already (T6). */
  put(delivery: NewDelivery | RawDelivery): Promise<boolean>;
  /** Whether it came in before, done or not. */
  has(id: string): Promise<boolean>;
  /** Keys under which something may be worked by now, the one that waits longest first; no more than a worker looks at at once. */
  due(): Promise<DueKey[]>;
  /** What may be worked by now of one key, in order of arrival (T8), behind a position; no more than are taken up at once. */
  pending(key: string, after?: number): Promise<Delivery[]>;
  /** Counts one more attempt, durably, before it is made. */
  begin(id: string): Promise<number>;
  done(id: string): Promise<void>;
  /** Forgets deliveries that were done before `before`. Returns how many. */
  prune(before: number): Promise<number>;
}

/** A payload as the text it came in: kept as it is, and read when it is worked. */
export interface RawDelivery extends Omit<NewDelivery, 'payload'> {
  readonly text: string;
}

export interface NewDelivery {
  /** GitHub's delivery id, or one made by the host for an event of its own. */
  readonly id: string;
  /** Deliveries of one key are worked in order: the repository and subject, such as `42-7`. */
  readonly key: string;
  readonly name: string;
  readonly payload: JsonValue;
  readonly receivedAt: number;
  /** Not worked before this time: wake-ups and debounced reviews, a day ahead at most. Without it at once, whatever the clock says. */
  readonly dueAt?: number;
}

export interface DueKey {
  readonly key: string;
  /** Of its first delivery. */
  readonly position: number;
  readonly count: number;
}

/** Its payload is `null` where the stored text cannot be read. */
export interface Delivery extends NewDelivery {
  /** Grows with each delivery of the store. */
  readonly position: number;
  readonly attempts: number;
}

/** A cause starts at most one turn, ever (T5): whoever takes it first has it, whatever delivery it came by. */
export interface Causes {
  /** The delivery that has the cause: the given one where it was free, or taken by it before. */
  take(repo: number, cause: string, delivery: string): Promise<string>;
  /** Undefined where nobody took it. */
  holder(repo: number, cause: string): Promise<string | undefined>;
  /** Forgets causes that were taken before `before`. Returns how many. */
  prune(before: number): Promise<number>;
  /** All that were taken in a repository, by cause. */
  of(repo: number): Promise<{ readonly cause: string; readonly delivery: string }[]>;
}

export type RequestState = 'pending' | 'allowed' | 'rejected' | 'answered' | 'cancelled' | 'unavailable';

/** What a person is asked: approval.md N4, user-interaction.md N4. */
export interface HumanRequest {
  readonly id: string;
  readonly kind: 'approval' | 'question';
  readonly session: SessionId;
  readonly repo: number;
  readonly turn: number;
  readonly callId: string | undefined;
  /** The tool's name, `publish` for a publication. */
  readonly tool: string;
  /** Of the exact arguments, or of the publication plan, that the answer is for (A3). */
  readonly digest: string;
  /** What its comment is drawn from, by kind. */
  readonly data: JsonValue;
  /** The intake that started the job, as JSON: whoever gets the answer goes on with it. */
  readonly job: JsonValue;
  /** Who started the turn. */
  readonly askedOf: { readonly id: number; readonly login: string };
  readonly commentId: number | undefined;
  readonly askedAt: number;
  readonly expiresAt: number;
  readonly state: RequestState;
  readonly answer: HumanAnswer | undefined;
}

/** Who settled a request, how and when (A7). */
export interface HumanAnswer {
  readonly actor: { readonly id: number; readonly login: string } | undefined;
  /** What he might do when he answered, and whether the words are his own; absent where nobody was looked up. */
  readonly standing?: { readonly permission: string; readonly trusted: boolean };
  readonly how: 'box' | 'reaction' | 'command' | 'reply' | 'terminal' | 'timeout' | 'withdrawn';
  /** A denial's reason, a question's answers. */
  readonly value: JsonValue | undefined;
  readonly url: string | undefined;
  readonly at: number;
}

/** Open questions to people; each is settled once, by compare-and-set (A3). */
export interface HumanRequests {
  add(request: HumanRequest): Promise<void>;
  get(id: string): Promise<HumanRequest | undefined>;
  /** In the order they were asked. */
  openOf(session: SessionId): Promise<HumanRequest[]>;
  /** What waits no more, in the order it was asked. */
  settledOf(session: SessionId): Promise<HumanRequest[]>;
  /** All that wait, for the sweep of reactions and time-outs. */
  open(): Promise<HumanRequest[]>;
  commented(id: string, commentId: number): Promise<void>;
  /** Of a comment of ours, whatever its state. */
  ofComment(repo: number, commentId: number): Promise<HumanRequest | undefined>;
  /** False where somebody settled it before. */
  settle(id: string, state: Exclude<RequestState, 'pending'>, answer: HumanAnswer): Promise<boolean>;
}

/** The changes of a work tree that are published nowhere yet, on the commit they were made on (K1, U8). */
export interface StoredSnapshot {
  /** The commit, as a hexadecimal id. */
  readonly base: string;
  /** Of `bytes`. */
  readonly digest: string;
  readonly bytes: Uint8Array;
}

export interface Snapshots {
  /** Replaces the one before. */
  put(session: SessionId, snapshot: StoredSnapshot): Promise<void>;
  latest(session: SessionId): Promise<StoredSnapshot | undefined>;
  drop(session: SessionId): Promise<void>;
}

/** Which session an issue or pull request belongs to (T9). */
export interface Subjects {
  /** Undefined where the subject has no entry: then it starts a session of its own. */
  sessionOf(repo: number, number: number): Promise<SessionId | undefined>;
  /** A pull request goes on with its issue's session; a forgotten subject begins its next generation. */
  assign(repo: number, number: number, session: SessionId): Promise<void>;
  of(session: SessionId): Promise<readonly { readonly repo: number; readonly number: number }[]>;
}

/** What people set for one session by command. */
export interface SessionSettings {
  /** `provider/model`. */
  readonly model?: string;
  /** US dollars that one turn may cost. */
  readonly budget?: number;
  readonly title?: string;
  /** When it was archived. */
  readonly archivedAt?: number;
}

export interface SessionSettingsStore {
  get(session: SessionId): Promise<SessionSettings>;
  set(session: SessionId, change: SessionSettings): Promise<void>;
  /** Archived before `before`: due for erasure. */
  archivedBefore(before: number): Promise<SessionId[]>;
  /** Erases the session: its log and everything kept of it here (persistence.md B6). */
  erase(session: SessionId): Promise<void>;
}

/** US dollars and counts of one day (UTC), to hold budgets by (F5, X12). */
export interface Spending {
  /** Adds to a tally, such as `person:42` or `repository:7`, of the day of `at`. */
  add(tally: string, amount: number, at: number): Promise<void>;
  spent(tally: string, at: number): Promise<number>;
  /** One more of a tally that is kept for the period of `at` alone, and no day; how many it are with this one. */
  count(tally: string, periodMs: number, at: number): Promise<number>;
}
