import { SessionId } from '../../src/harness/session/types.ts';
import type { SessionEvent, SessionHeader } from '../../src/harness/session/types.ts';
import type { SessionPersistence } from '../../src/harness/session/persistence.ts';
import { CoordinatedPersistence } from '../../src/store/coordinated-persistence.ts';
import type { PersistenceBackend } from '../../src/store/persistence-backend.ts';
import { PersistenceCoordinator } from '../../src/store/persistence-coordinator.ts';

/** One place where sessions are kept, empty at first, that outlives the processes that use it. */
export interface ContractStorage {
  /** A backend as a new process would open it. */
  open(): PersistenceBackend<unknown>;
  /** Leaves the session with an event that was only half written at the end. */
  tear(meta: SessionHeader): Promise<void>;
  dispose(): Promise<void>;
}
export type MakeStorage = () => Promise<ContractStorage>;

export function persistenceOf(backend: PersistenceBackend<unknown>): SessionPersistence {
  return new CoordinatedPersistence(backend, new PersistenceCoordinator(backend));
}

export function headerOf(id: string, more: Partial<SessionHeader> = {}): SessionHeader {
  return { version: 0, id: SessionId(id), createdAt: 1_700_000_000_000, cwd: '/work', delegationDepth: 0, ...more };
}

export async function codeOfRejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'resolved',
    (error: unknown) => (error as { code?: unknown }).code ?? (error as Error).name,
  );
}

export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Lets the test fail the next writes of a backend, and counts them. */
export class FlakyBackend implements PersistenceBackend<unknown> {
  readonly name = 'flaky';
  readonly #inner: PersistenceBackend<unknown>;
  failures = 0;
  /** So many of the next writes are stored and fail all the same, as when a connection breaks at the commit. */
  lostAnswers = 0;
  /** Batches that were stored. */
  readonly batches: number[][] = [];
  readonly closers: string[][] = [];
  isClosed = false;
  closeFails = false;
  /** Awaited by each write. */
  gate: Promise<void> = Promise.resolve();

  constructor(inner: PersistenceBackend<unknown>) {
    this.#inner = inner;
  }

  loadStored(...args: Parameters<PersistenceBackend<unknown>['loadStored']>) {
    return this.#inner.loadStored(...args);
  }

  loadLive(...args: Parameters<PersistenceBackend<unknown>['loadLive']>) {
    return this.#inner.loadLive(...args);
  }

  has(...args: Parameters<PersistenceBackend<unknown>['has']>) {
    return this.#inner.has(...args);
  }

  list() {
    return this.#inner.list();
  }

  async appendBatch(meta: SessionHeader, events: readonly SessionEvent[], isMaterialized: boolean): Promise<void> {
    await this.gate;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('disk full');
    }
    await this.#inner.appendBatch(meta, events, isMaterialized);
    this.batches.push(events.map(({ seq }) => seq));
    if (this.lostAnswers > 0) {
      this.lostAnswers -= 1;
      throw new Error('connection terminated');
    }
  }

  async commitRepair(meta: SessionHeader, tornMarker: unknown, closers: readonly SessionEvent[]): Promise<void> {
    await this.#inner.commitRepair(meta, tornMarker, closers);
    this.closers.push(closers.map(({ type }) => type));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.closeFails) throw new Error('close failed');
  }
}
