import type { HumanRequest } from '../../store/records.ts';

const DAY_MS = 86_400_000;

/**
 * Whether the time that people were given is over. Asked more than a day from now means that the clock was set back since:
 * then nobody can tell any more, and nothing waits for years. `at` in epoch milliseconds. Pure.
 */
export function isOver({ askedAt, expiresAt }: Pick<HumanRequest, 'askedAt' | 'expiresAt'>, at: number): boolean {
  return at >= expiresAt || at < askedAt - DAY_MS;
}
