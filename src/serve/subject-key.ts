import { placeOf } from '../triggers/place-of.ts';
import type { GitHubEvent } from '../triggers/reading.ts';

interface Numbered {
  readonly number?: unknown;
}
interface Subjects {
  readonly issue?: Numbered;
  readonly pull_request?: Numbered;
  readonly check_suite?: { readonly pull_requests?: readonly Numbered[] };
  readonly workflow_run?: { readonly pull_requests?: readonly Numbered[] };
}

/** Deliveries of one key are read in order: the repository and the issue or pull request (T8). Nothing here is checked yet. */
export function subjectKey(event: GitHubEvent): string {
  const { issue, pull_request: pull, check_suite: suite, workflow_run: run } = (event.payload ?? {}) as Subjects;
  const checked = (suite ?? run)?.pull_requests?.[0];
  const number = issue?.number ?? pull?.number ?? checked?.number;
  return `${placeOf(event)?.repo.id ?? 'none'}-${typeof number === 'number' ? number : 'none'}`;
}
