import { concludeCheck, openCheck } from '../../github/checks.ts';
import { fullName } from '../../github/repository.ts';
import { statusOf } from '../../github/request-hook.ts';
import { cleanText } from '../../publish/markdown/clean-text.ts';
import { causeMarker, reviewMarker } from '../../publish/markers.ts';
import { CHECK_NAME, planCheck } from '../../publish/review/plan-check.ts';
import { openOf, planReview } from '../../publish/review/plan-review.ts';
import type { ReviewPlan } from '../../publish/review/plan-review.ts';
import { publishReview } from '../../publish/review/publish-review.ts';
import type { PublishedReview } from '../../publish/review/publish-review.ts';
import { checkIdOf } from '../../publish/review/review-check.ts';
import { settleThreads } from '../../publish/review/settle-threads.ts';
import { withdrawChangeRequests } from '../../publish/review/withdraw-change-requests.ts';
import type { Standing } from './review-standing.ts';
import type { ReviewedHead } from '../job/job.ts';
import type { JobResult, Workplace } from '../job/job-kind.ts';
import { lastText } from '../telling/last-text.ts';
import type { Review } from './review-state.ts';
import './review-events.ts';

/** Posts the review, then settles what earlier ones left: threads, requests for changes, the check of this head. */
export async function postReview(workplace: Workplace, review: Review, standing: Standing): Promise<JobResult> {
  const { checkout, agent, turn, signal, subject } = workplace;
  const { access, session, turn: asked } = review.request;
  const planWithout = planner(workplace, review, standing);
  const markers = [reviewMarker(session, checkout.headSha), causeMarker(asked.reading.cause)];
  const place = { number: subject.number, planWithout, markers, ownLogin: access.ownLogin };
  const posted = await publishReview(access.github, access.repo, place, signal).catch((error: unknown) => {
    if (statusOf(error) !== 403) throw error;
    return undefined;
  });
  const plan = posted?.plan ?? planWithout(new Set());
  const { headSha } = checkout;
  agent.session.append('review/ledger', { turn, headSha, entries: [...plan.ledger] });
  const { origin } = new URL(subject.thread.url);
  const stillOpen = openOf(standing.earlier);
  const reviewed = { repositoryUrl: `${origin}/${fullName(access.repo)}`, headSha, stillOpen };
  if (!posted) return unposted(plan, reviewed);
  agent.session.append('publish/done', { turn, what: 'review', id: posted.id, url: posted.url, sha: headSha });
  await settleEarlier(workplace, review, standing, posted);
  await concludeOwnCheck(workplace, review, plan, standing);
  const { id, url } = posted;
  const later = standing.moved?.headSha;
  const found = { id, url, findings: plan.findings, reviewed, ...(later && { newerHead: later }) };
  return { produced: { kind: 'review', ...found }, summary: verdictOf(workplace, review), verify: [] };
}

function planner(
  workplace: Workplace,
  review: Review,
  { fresh, earlier, fixedNow, history, moved, headFile }: Standing,
): (refused: ReadonlySet<string>) => ReviewPlan {
  const { config, session, turn } = review.request;
  const { minConfidence, maxComments, blocking, approve } = config.review;
  const { redactor, input } = review;
  const { headSha } = workplace.checkout;
  const facts = {
    ...{ session, cause: turn.reading.cause, headSha, headFile, earlier, fixedNow },
    ...{ minConfidence, maxComments, blocking, approve },
    files: input!.whole,
    verdict: verdictOf(workplace, review),
    limits: redactor.redactAll([...movedNote(moved), ...input!.limits, ...review.limits]),
    attention: redactor.redactAll(review.attention),
    reviewedHead: history.ledger.reviewedHead,
    dismissed: history.reviews.findLast(({ state }) => ASKED.has(state))?.state === 'DISMISSED',
    isPart: input!.isPart,
    changedMeanwhile: moved?.paths ?? new Set<string>(),
  };
  return (refused) => planReview(fresh, { ...facts, refused });
}

const ASKED: ReadonlySet<string> = new Set(['CHANGES_REQUESTED', 'DISMISSED']);

function verdictOf({ agent }: Workplace, { redactor }: Review): string {
  return cleanText(redactor.redact(lastText(agent.session.events)));
}

function movedNote(moved: Standing['moved']): string[] {
  return moved ? [`The head moved to ${moved.headSha.slice(0, 10)} while this was reviewed.`] : [];
}

async function settleEarlier(
  { subject, signal, checkout }: Workplace,
  { request: { access }, log }: Review,
  { history, fixedNow }: Standing,
  posted: PublishedReview,
): Promise<void> {
  const request = { ...access, number: subject.number, log };
  const { threads } = history;
  const { github } = access.narrowedTo?.('resolve') ?? access;
  if (threads) await settleThreads({ ...request, github, threads, fixedNow }, posted.plan.ledger, signal);
  if (posted.plan.blocks) return;
  const earlier = history.reviews.filter(({ id }) => id !== posted.id);
  await withdrawChangeRequests({ ...request, headSha: checkout.headSha }, earlier, signal);
}

/** The check of the reviewed head (R9). A token that may not write checks, or a failure, takes nothing from the review. */
async function concludeOwnCheck(
  workplace: Workplace,
  review: Review,
  plan: ReviewPlan,
  standing: Standing,
): Promise<void> {
  const { agent, turn, signal, checkout } = workplace;
  const { access, config, session, turn: asked } = review.request;
  const report = planCheck({
    findings: plan.findings,
    stillOpen: openOf(standing.earlier),
    blocking: config.review.blocking,
    isPart: review.input!.isPart,
    verdict: verdictOf(workplace, review),
  });
  const { headSha } = checkout;
  const { ownLogin } = access;
  const identity = { name: CHECK_NAME, headSha, externalId: checkIdOf(session, asked.reading.cause), ownLogin };
  try {
    const check = await openCheck(access.github, access.repo, identity, signal);
    if (!check) return;
    await concludeCheck(access.github, access.repo, check, report, signal);
    agent.session.append('publish/done', { turn, what: 'check-run', ...check, sha: checkout.headSha });
  } catch (error) {
    signal.throwIfAborted();
    review.log('the check run could not be written', error);
  }
}

/** The token may only read, as that of a fork's pull request: what was found is told by the run itself (H10). */
function unposted({ body, findings }: ReviewPlan, reviewed: ReviewedHead): JobResult {
  return { produced: { kind: 'findings', body, findings, reviewed }, summary: '', verify: [] };
}
