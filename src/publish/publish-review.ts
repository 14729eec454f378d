import type { GitHub } from '../github/client.ts';
import type { RepoRef } from '../github/repository.ts';
import type { ReviewComment, ReviewPlan } from './plan-review.ts';
import { assembleBody } from './body.ts';

export interface PublishedReview {
  readonly id: number;
  readonly url: string;
}

/**
 * Posts one review (R5), once: a review with its marker that is there already is taken as done. Where GitHub refuses a
 * comment (422), all of them are told in the body instead; none is lost (R3).
 */
export async function publishReview(
  github: GitHub,
  repo: RepoRef,
  { number, plan, marker, ownLogin }: { number: number; plan: ReviewPlan; marker: string; ownLogin: string },
  signal: AbortSignal,
): Promise<PublishedReview> {
  const find = () => findReview(github, repo, { number, marker, ownLogin }, signal);
  const earlier = await find();
  if (earlier) return earlier;
  const post = (body: string, comments: readonly ReviewComment[]) =>
    github.rest.pulls.createReview({
      ...repo,
      pull_number: number,
      commit_id: plan.commitId,
      event: plan.event,
      body,
      comments: comments.map((comment) => ({ ...comment })),
      request: { signal },
    });
  try {
    const { data } = await post(plan.body, plan.comments);
    return { id: data.id, url: data.html_url };
  } catch (error) {
    if ((error as { status?: number }).status !== 422) return (await find()) ?? fail(error);
    const { data } = await post(bodyWithComments(plan), []);
    return { id: data.id, url: data.html_url };
  }
}

async function findReview(
  github: GitHub,
  repo: RepoRef,
  { number, marker, ownLogin }: { number: number; marker: string; ownLogin: string },
  signal: AbortSignal,
): Promise<PublishedReview | undefined> {
  const reviews = await github.paginate(github.rest.pulls.listReviews, {
    ...repo,
    pull_number: number,
    per_page: 100,
    request: { signal },
  });
  const found = reviews.find((review) => review.user?.login === ownLogin && review.body.includes(marker));
  return found && { id: found.id, url: found.html_url };
}

function bodyWithComments({ body, comments }: ReviewPlan): string {
  const told = comments.map(
    ({ path, line, body: text }) =>
      ({ kind: 'markdown', text: `\`${path.replaceAll('`', "'")}:${line}\`\n\n${text}` }) as const,
  );
  return assembleBody([{ kind: 'markdown', text: body }, ...told]);
}

function fail(error: unknown): never {
  throw error;
}
