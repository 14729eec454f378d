import type { Context, Disposer } from '../kernel/context.ts';
import { undoInReverse } from '../kernel/undo.ts';
import { HarnessError } from '../llm/errors.ts';

/** Everything one agent holds. It ends once, in reverse order, and whoever ends it awaits the same completion. */
export class AgentLifetime {
  readonly #owned: Disposer[] = [];
  readonly #ties: Disposer[] = [];
  #end: Promise<void> | undefined;

  readonly dispose = (): Promise<void> => {
    this.#end ??= this.#tearDown();
    return this.#end;
  };

  own(dispose: Disposer): void {
    this.#owned.push(dispose);
  }

  /** Ends no later than `ctx`. */
  tieTo(ctx: Context): void {
    this.#ties.push(ctx.effect(() => this.dispose, 'agent'));
  }

  /** @throws HarnessError `AGENT_DISPOSED`, or the reason of the signal: creation must not go on */
  assertWanted(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.#end) throw new HarnessError('the agent was disposed while it was being created', 'AGENT_DISPOSED');
  }

  async #tearDown(): Promise<void> {
    try {
      await undoInReverse(this.#owned);
    } finally {
      for (const untie of this.#ties) void Promise.resolve(untie()).catch(() => {});
    }
  }
}
