import type { Records } from '../../store/records.ts';

const PERIOD_MS = 10 * 60_000;

/** One command of somebody: `id` is the same when it is read again. */
export interface CommandMade {
  readonly repo: { readonly id: number };
  readonly actor: { readonly id: number };
  readonly id: string;
}

/** What each person commands in each repository within some minutes, by all processes of one store (X12). */
export class CommandLimit {
  readonly #records: Pick<Records, 'spending' | 'causes'>;
  readonly #now: () => Date;

  constructor(records: Pick<Records, 'spending' | 'causes'>, now: () => Date) {
    this.#records = records;
    this.#now = now;
  }

  /** How many it are with this one. */
  count({ repo, actor }: CommandMade): Promise<number> {
    const at = this.#now().getTime();
    return this.#records.spending.count(`commands:${repo.id}:${actor.id}`, PERIOD_MS, at);
  }

  /** Whether the answer to another command told this person already that there is a limit; else this one's has to. */
  async isTold({ repo, actor, id }: CommandMade): Promise<boolean> {
    const period = Math.floor(this.#now().getTime() / PERIOD_MS);
    return (await this.#records.causes.take(repo.id, `limit-${actor.id}-${period}`, id)) !== id;
  }
}
