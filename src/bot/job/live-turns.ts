import type { JobKind } from '../../triggers/reading.ts';
import { comesFrom } from './job-cause.ts';
import type { ContentBlock, MessageSource } from '../../harness/llm/types.ts';
import type { CommandResult } from '../../seams/commands/types.ts';
import type { JsonValue, SessionId } from '../../harness/session/types.ts';

/** A turn that runs in this process, for what people do while it runs (T8). */
export interface LiveTurn {
  readonly session: SessionId;
  readonly cause: string;
  readonly job: JobKind;
  readonly startedBy: { readonly id: number; readonly login: string };
  /** The model sees it before its next request (S1). Resolves when it is in the log. */
  steer(content: ContentBlock[], source: MessageSource): Promise<void>;
  /** Something happened: told beside the next request, and no reason to go on (notes). Resolves when it is in the log. */
  inject(content: ContentBlock[], source: MessageSource, meta?: JsonValue): Promise<void>;
  /** Ends the turn as `aborted`; resolves when it has ended (S2). */
  stop(): Promise<void>;
  /** A command to the session itself, without the model; undefined where it understands none such. */
  command(line: string, signal: AbortSignal): Promise<CommandResult | undefined>;
  /** A request of this turn was settled in the records: whoever waits looks again. */
  settled(request: string): void;
  /** What it is at, in one line, for `/dsh status`. */
  readonly line: string;
}

/** The turns of this process; a session runs at most one. */
export class LiveTurns {
  readonly #turns = new Map<SessionId, LiveTurn>();
  readonly #expected = new Set<{ session: SessionId; cause: string; controller: AbortController }>();

  of(session: SessionId): LiveTurn | undefined {
    return this.#turns.get(session);
  }

  /** Returns what takes it off the list again. */
  add(turn: LiveTurn): () => void {
    this.#turns.set(turn.session, turn);
    return () => void (this.#turns.get(turn.session) === turn && this.#turns.delete(turn.session));
  }

  /** A turn that has yet to begin; the signal is aborted when it never is to. */
  expect(session: SessionId, cause: string): { readonly withdrawn: AbortSignal; leave(): void } {
    const expected = { session, cause, controller: new AbortController() };
    this.#expected.add(expected);
    return { withdrawn: expected.controller.signal, leave: () => void this.#expected.delete(expected) };
  }

  /** Turns of the session, or of the cause in it, that have not begun never will. Returns how many. */
  withdraw(session: SessionId, cause: string | undefined): number {
    const running = this.of(session)?.cause;
    const meant = [...this.#expected].filter(
      (one) => one.session === session && one.cause !== running && (cause === undefined || comesFrom(one.cause, cause)),
    );
    for (const { controller } of meant) controller.abort({ kind: 'withdrawn' });
    return meant.length;
  }

  /** Of all turns that run or are expected. */
  get sessions(): readonly SessionId[] {
    return [...new Set([...this.#turns.keys(), ...[...this.#expected].map(({ session }) => session)])];
  }

  get all(): readonly LiveTurn[] {
    return [...this.#turns.values()];
  }
}
