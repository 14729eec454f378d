import type { JobKind } from '../triggers/decide.ts';
import type { ContentBlock, MessageSource } from '../harness/llm/types.ts';
import type { JsonValue, SessionId } from '../harness/session/types.ts';

/** A turn that runs in this process, for what people do while it runs (T8). */
export interface LiveTurn {
  readonly session: SessionId;
  readonly cause: string;
  readonly job: JobKind;
  readonly startedBy: { readonly id: number; readonly login: string };
  /** The model sees it before its next request (S1). Resolves when it is in the log. */
  steer(content: ContentBlock[], source: MessageSource): Promise<void>;
  /** Something happened: told beside the next request, and no reason to go on (notes). */
  inject(content: ContentBlock[], source: MessageSource, meta?: JsonValue): void;
  /** Ends the turn as `aborted`; resolves when it has ended (S2). */
  stop(): Promise<void>;
  /** A request of this turn was settled in the records: whoever waits looks again. */
  settled(request: string): void;
  /** What it is at, in one line, for `/dsh status`. */
  readonly line: string;
}

/** The turns of this process; a session runs at most one. */
export class LiveTurns {
  readonly #turns = new Map<SessionId, LiveTurn>();

  of(session: SessionId): LiveTurn | undefined {
    return this.#turns.get(session);
  }

  /** Returns what takes it off the list again. */
  add(turn: LiveTurn): () => void {
    this.#turns.set(turn.session, turn);
    return () => void (this.#turns.get(turn.session) === turn && this.#turns.delete(turn.session));
  }

  get all(): readonly LiveTurn[] {
    return [...this.#turns.values()];
  }
}
