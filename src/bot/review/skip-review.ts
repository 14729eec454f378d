import type { GitHub } from '../../github/client.ts';
import type { RepoRef } from '../../github/repository.ts';
import { readMarkedReviews, readOwnReviews } from '../../publish/review/read-ledger.ts';
import { endLeftCheck, tellUnreviewed } from '../../publish/review/review-check.ts';
import type { Spending } from '../../store/records.ts';
import { whyNotReviewed } from '../../triggers/automatic-review.ts';
import type { AutomaticFacts, NoReview, PullReading } from '../../triggers/automatic-review.ts';
import { atLeast } from '../../triggers/rights.ts';
import type { PermissionFact } from '../../triggers/rights.ts';
import type { RepositoryAccess } from '../job/job.ts';

export interface SkipParts {
  readonly access: RepositoryAccess;
  readonly session: string;
  readonly spending: Spending;
  readonly now: () => Date;
  readonly log: (message: string, error: unknown) => void;
  readonly signal: AbortSignal;
}

/**
 * Why an automatic review is not made now (R6, R12, R13, X12), as GitHub says at this moment; undefined where it is, and
 * then it counts. That a limit keeps it from being made is told on the head's check.
 */
export async function skipReview(reading: PullReading, parts: SkipParts): Promise<NoReview | undefined> {
  const { access, log, signal } = parts;
  const { github, repo, ownLogin } = access;
  const { number } = reading.subject;
  const [{ data: pull }, reviews, authorPermission] = await Promise.all([
    github.rest.pulls.get({ ...repo, pull_number: number, request: { signal } }),
    readMarkedReviews({ github, repo, number }, signal),
    permissionOf(access, reading.author.login, signal),
  ]);
  // Another bot of ours, as the Action beside the App, may have been first.
  const reviewedHeads = reviews
    .filter((one) => (one.isBot || one.login === ownLogin) && !one.isPart)
    .map(({ headSha }) => headSha);
  const facts = { currentHead: pull.head.sha, reviewedHeads, authorPermission };
  const why = whyNotReviewed(reading, { ...facts, today: 0 }) ?? (await whyLimited(reading, facts, parts));
  if (why !== undefined) {
    await tellOnCheck(why, reading, parts).catch((error: unknown) => log('a check run could not be written', error));
  }
  return why;
}

/** Counted before it is looked at, so that reviews which begin at the same moment see each other. */
async function whyLimited(
  reading: PullReading,
  facts: Omit<AutomaticFacts, 'today'>,
  { access, spending, now, signal }: SkipParts,
): Promise<NoReview | undefined> {
  if (atLeast(facts.authorPermission, 'write') || reading.action === 'review_requested') return undefined;
  const at = now().getTime();
  const tally = `reviews:${reading.repo.id}:${reading.author.id}`;
  // An event that is handled again, as after a crash, is the same review.
  const own = `${tally}:${reading.cause}`;
  if ((await spending.spent(own, at)) === 0) {
    await spending.add(own, 1, at);
    await spending.add(tally, 1, at);
  }
  const [counted, seen] = await Promise.all([
    spending.spent(tally, at),
    countToday(reading, { ...access, at, signal }),
  ]);
  const why = whyNotReviewed(reading, { ...facts, today: Math.max(counted - 1, seen) });
  if (why !== undefined) for (const one of [own, tally]) await spending.add(one, -1, at);
  return why;
}

async function tellOnCheck(why: NoReview, { headSha, cause }: PullReading, parts: SkipParts): Promise<void> {
  const { access, session, signal } = parts;
  const { github, repo, ownLogin } = access;
  const place = { github, repo, headSha, ownLogin };
  if (why !== 'daily-limit') await endLeftCheck(place, { session, cause, why }, signal);
  else await tellUnreviewed(place, { id: why, title: 'Not reviewed: daily limit', text: LIMIT }, signal);
}

const LIMIT =
  'Today’s automatic reviews for this author are used up. Somebody with write permission can ask for one with `/dsh review`.';

async function permissionOf(access: RepositoryAccess, login: string, signal: AbortSignal): Promise<PermissionFact> {
  const answer = await access.permissionOf(access.repo, login, signal);
  return answer.kind === 'known' ? answer.permission : answer.kind;
}

/** An author with more pull requests than this in a day has reached any limit of ours on fewer. */
const MOST_PULLS = 20;

/** From GitHub, for hosts that keep nothing: our automatic reviews of this author's pull requests since midnight (UTC). */
async function countToday(
  { author }: PullReading,
  {
    github,
    repo,
    ownLogin,
    at,
    signal,
  }: { github: GitHub; repo: RepoRef; ownLogin: string; at: number; signal: AbortSignal },
): Promise<number> {
  const midnight = `${new Date(at).toISOString().slice(0, 10)}T00:00:00Z`;
  const newest = {
    ...repo,
    state: 'all' as const,
    sort: 'updated' as const,
    direction: 'desc' as const,
    per_page: 100,
  };
  const { data } = await github.rest.pulls.list({ ...newest, request: { signal } });
  const theirs = data.filter(({ user, updated_at }) => user?.login === author.login && updated_at >= midnight);
  const reviews = await Promise.all(
    theirs.slice(0, MOST_PULLS).map(({ number }) => readOwnReviews({ github, repo, number, ownLogin }, signal)),
  );
  return reviews.flat().filter(({ submittedAt, body }) => submittedAt >= midnight && AUTOMATIC.test(body)).length;
}

/** The cause of a review that nobody asked for is its head. */
const AUTOMATIC = /<!-- dsh:cause head-[0-9a-f]+ -->/;
