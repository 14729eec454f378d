import type { Config } from '../../config/config.ts';
import type { Spending } from '../../store/records.ts';
import type { Exceeded } from './budget.ts';

export interface DayBudgetParts {
  readonly spending: Spending;
  readonly now: () => Date;
  readonly limits: Config['budget']['day'];
  readonly person: { readonly id: number; readonly login: string };
  readonly repository: number;
  /** US dollars of the turn so far; undefined where the price is not known. */
  readonly spent: () => number | undefined;
}

/** Books what a turn costs, by the day, on whoever asked and on the repository, and tells which of their limits is reached (F5). */
export class DayBudget {
  readonly #parts: DayBudgetParts;
  /** Of the turn so far, in the days' books already. */
  #booked: number | undefined;
  #booking: Promise<unknown> = Promise.resolve();

  constructor(parts: DayBudgetParts) {
    this.#parts = parts;
  }

  /** What the turn has cost by now was booked by whoever worked at it before. */
  begin(): void {
    this.#booked ??= this.#parts.spent() ?? 0;
  }

  /** Books what came since. Bookings follow one another, so that nothing counts twice. */
  book(): Promise<void> {
    const next = this.#booking.catch(() => {}).then(() => this.#add());
    this.#booking = next;
    return next;
  }

  /** The first limit of the day that is reached. */
  async exceeded(): Promise<Exceeded | undefined> {
    const { spending, now, limits, person } = this.#parts;
    const at = now().getTime();
    const [byPerson, byRepository] = await Promise.all(this.#tallies().map((tally) => spending.spent(tally, at)));
    const figures: Exceeded[] = [
      { limit: `US dollars a day for ${person.login}`, spent: byPerson ?? 0, cap: limits.person },
      { limit: 'US dollars a day for this repository', spent: byRepository ?? 0, cap: limits.repository },
    ];
    return figures.find(({ spent, cap }) => spent >= cap);
  }

  async #add(): Promise<void> {
    const { spending, now, spent } = this.#parts;
    const cost = spent() ?? 0;
    const amount = cost - (this.#booked ?? 0);
    if (amount <= 0) return;
    this.#booked = cost;
    for (const tally of this.#tallies()) await spending.add(tally, amount, now().getTime());
  }

  #tallies(): string[] {
    const { person, repository } = this.#parts;
    return [`person:${person.id}`, `repository:${repository}`];
  }
}
