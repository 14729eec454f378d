import { issueOf, nextGeneration } from '../../bot/session/session-id.ts';
import { DshError } from '../../errors.ts';
import type { SessionId } from '../../harness/session/types.ts';
import type { EventRepository } from '../../triggers/reading.ts';
import { collectSession, essenceOf, isBlank, restoreSession } from './local-session.ts';
import type { LocalStore, Restored } from './local-session.ts';
import { newestState } from './newest-state.ts';
import type { FoundState, Looking } from './newest-state.ts';
import { sealState } from './seal.ts';
import type { SealHead } from './seal.ts';
import { readSessionFile, writeSessionFile } from './session-file.ts';
import type { SessionFile } from './session-file.ts';
import type { StatePlace } from './state-place.ts';

export interface KeptSessionOptions {
  readonly place: StatePlace;
  readonly apiKey: string;
  readonly repo: EventRepository;
  /** The number of what the session began with. */
  readonly number: number;
  /** The one that the event names, where nothing is known of it. */
  readonly named: SessionId;
  readonly store: LocalStore;
  readonly isRunAgain: Restored['isRunAgain'];
  /** For whoever reads the run's log. */
  readonly log: (message: string) => void;
}

/** What became of a save; `lost` where another run saved meanwhile. */
export type Saved = 'saved' | 'unchanged' | 'lost';

const TOO_LARGE = 'STATE_TOO_LARGE';
const MIB = 1024 * 1024;
/** More is not kept, so that whatever is kept can be read again. */
const MAX_UNPACKED = 512 * MIB;

/** A session of an Action, between its runs in a place of its own and while one runs in that run's store (H9). */
export class KeptSession {
  readonly #options: KeptSessionOptions;
  readonly #known = new Set<string>();
  #base: FoundState | undefined;
  #essence: string | undefined;
  readonly #asked = new Set<string>();
  /** Of these, what waited for an answer when this run began. */
  readonly #waiting = new Set<string>();

  constructor(options: KeptSessionOptions) {
    this.#options = options;
  }

  /** Puts what the run before left into this run's store. Without any the session begins afresh. */
  async restore(signal: AbortSignal): Promise<void> {
    const { place, repo, store, isRunAgain, log } = this.#options;
    this.#base = await newestState(place, this.#looking(), signal);
    if (!this.#base) return;
    const { session, counter } = this.#base;
    const file = this.#read(this.#base);
    // A step before this one, in the same job, has it here already.
    if (!file || (await store.sessions.has(session))) return;
    await restoreSession(file, { session, repo, isRunAgain }, store);
    this.#essence = essenceOf(session, await collectSession(session, repo.id, store));
    for (const { id } of file.requests) this.#asked.add(id);
    for (const { id, state } of file.requests) if (state === 'pending') this.#waiting.add(id);
    log(`goes on with session ${session}, state ${counter} of ${place.name}`);
  }

  /**
   * Keeps what the store holds by now, where that is something new. What another run saved meanwhile is left as it is.
   * Throws `STATE_TOO_LARGE`, and what the place throws.
   */
  async save(signal: AbortSignal): Promise<Saved> {
    const { place, repo, store } = this.#options;
    const session = await this.session();
    const file = await collectSession(session, repo.id, store);
    if (essenceOf(session, file) === this.#essence || (!this.#base && isBlank(file))) return 'unchanged';
    const newer = await newestState(place, this.#looking(), signal);
    if (newer && newer.counter > (this.#base?.counter ?? 0)) return 'lost';
    const head = { session, counter: (this.#base?.counter ?? 0) + 1, run: place.run };
    try {
      return (await place.save(this.#seal(file, head), this.#base?.id, signal)) ? 'saved' : 'lost';
    } catch (error) {
      const isTooLarge = error instanceof DshError && error.code === TOO_LARGE;
      throw isTooLarge && (await this.#forget(file, head, signal)) ? beginsAfresh(error) : error;
    }
  }

  #seal(file: SessionFile, head: SealHead): Buffer {
    const { place, apiKey, repo } = this.#options;
    const content = writeSessionFile(file, MAX_UNPACKED);
    if (!content) throw tooLarge(`more than ${inMib(MAX_UNPACKED)} before it is packed`, 'that is never kept');
    const bytes = sealState(content, head, { apiKey, repository: repo.id });
    if (bytes.length > place.maxBytes)
      throw tooLarge(inMib(bytes.length), `${place.name} takes ${inMib(place.maxBytes)}`);
    return bytes;
  }

  /**
   * What is kept would ask again what was answered, and go on from there once more: the session begins anew instead. Whether
   * it has to.
   */
  async #forget({ requests, ...facts }: SessionFile, head: SealHead, signal: AbortSignal): Promise<boolean> {
    if (!requests.some(({ id, state }) => this.#waiting.has(id) && state !== 'pending')) return false;
    const nothing = { logs: [], requests: [], snapshot: undefined, spills: [] };
    const bytes = this.#seal({ ...facts, ...nothing }, { ...head, session: nextGeneration(head.session) });
    return this.#options.place.save(bytes, this.#base?.id, signal);
  }

  /** Whether an earlier run asked this. */
  wasAskedBefore(request: string): boolean {
    return this.#asked.has(request);
  }

  /** The one that its first subject belongs to by now. */
  async session(): Promise<SessionId> {
    const { repo, number, named, store } = this.#options;
    return (await store.records.subjects.sessionOf(repo.id, number)) ?? this.#base?.session ?? named;
  }

  /** Undefined where another version of us wrote it. */
  #read({ content }: FoundState): SessionFile | undefined {
    try {
      return readSessionFile(content, MAX_UNPACKED);
    } catch (error) {
      this.#options.log(`${this.#options.place.name} cannot be read, so the session begins afresh: ${String(error)}`);
      return undefined;
    }
  }

  #looking(): Looking {
    const { place, apiKey, repo, number, log } = this.#options;
    return {
      known: this.#known,
      owner: { apiKey, repository: repo.id },
      isMeant: (session) => session.startsWith(`gh-${repo.id}-`) && issueOf(session as SessionId) === number,
      onIgnored: (id, why) => void log(`${place.name} (${id}) ${IGNORED[why]}`),
    };
  }
}

const IGNORED = {
  'not-ours': 'was not made by this workflow with this key, and is ignored',
  nothing: 'is gone, or nothing that this workflow makes, and is ignored',
};

function tooLarge(size: string, most: string): DshError {
  const hint = 'Start over with `/dsh forget`, or set a lower `park.maxSnapshotBytes`.';
  return new DshError(`The session takes ${size}; ${most}.`, TOO_LARGE, hint);
}

function beginsAfresh({ message, code, hint }: DshError): DshError {
  return new DshError(`${message} Its next command begins afresh.`, code, hint);
}

function inMib(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`;
}
