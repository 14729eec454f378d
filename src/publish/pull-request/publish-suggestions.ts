import type { GitHub } from '../../github/client.ts';
import type { RepoRef } from '../../github/repository.ts';
import { statusOf } from '../../github/request-hook.ts';
import type { Suggestion } from './plan-suggestions.ts';

export interface SuggestionsRequest {
  readonly number: number;
  readonly headSha: string;
  readonly suggestions: readonly Suggestion[];
  /** Hidden text by which the review is found again. */
  readonly marker: string;
  readonly ownLogin: string;
}

/** Puts all suggestions into one review, once. Undefined where GitHub takes them not (422), as after a push. */
export async function publishSuggestions(
  github: GitHub,
  repo: RepoRef,
  request: SuggestionsRequest,
  signal: AbortSignal,
): Promise<{ id: number; url: string } | undefined> {
  const made = await find(github, repo, request, signal);
  if (made) return made;
  try {
    const { data } = await github.rest.pulls.createReview({
      ...{ ...repo, pull_number: request.number, commit_id: request.headSha, event: 'COMMENT' },
      body: `${request.marker}\nThe change, as suggestions that can be committed from here.`,
      comments: request.suggestions.map((suggestion) => ({ ...suggestion })),
      request: { signal },
    });
    return { id: data.id, url: data.html_url };
  } catch (error) {
    if (statusOf(error) === 422) return undefined;
    const done = await find(github, repo, request, signal);
    if (done) return done;
    throw error;
  }
}

async function find(
  github: GitHub,
  repo: RepoRef,
  { number, marker, ownLogin }: SuggestionsRequest,
  signal: AbortSignal,
): Promise<{ id: number; url: string } | undefined> {
  const pages = { ...repo, pull_number: number, per_page: 100, request: { signal } };
  const reviews = await github.paginate(github.rest.pulls.listReviews, pages);
  const found = reviews.find(({ user, body }) => user?.login === ownLogin && body.includes(marker));
  return found && { id: found.id, url: found.html_url };
}
