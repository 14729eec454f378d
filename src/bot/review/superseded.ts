import type { Agent } from '../../harness/agent/types.ts';
import { endLeftCheck } from '../../publish/review/review-check.ts';
import type { JobRequest } from '../job/job.ts';
import { isUntoldPush } from './is-untold-push.ts';
import type { Review } from './review-state.ts';

/**
 * Where pushes are not waited for, a review that another push follows within `review.debounceMs` is left to that push (R13):
 * looked for after each step, so that no more is spent on it.
 */
export function endWhenSuperseded(agent: Agent, review: Review): void {
  agent.ctx.on('agent/turn-stop', async (_agent, _turn, signal) =>
    (await isSuperseded(review, signal)) ? { action: 'stop' as const } : undefined,
  );
}

/** The last look is the first one after that time; what is pushed later is told by the review itself (R12). */
export async function isSuperseded(review: Review, signal: AbortSignal): Promise<boolean> {
  const { request, input, looks } = review;
  if (looks.isSuperseded) return true;
  const { debounceMs } = request.config.review;
  if (!input || !mayBeSuperseded(request) || looks.lastMs > debounceMs) return false;
  looks.lastMs = performance.now() - looks.startedAt;
  const { github, repo } = request.access;
  const { subject } = request.turn.reading;
  try {
    const { data } = await github.rest.pulls.get({ ...repo, pull_number: subject.number, request: { signal } });
    if (data.head.sha === input.headSha || data.state !== 'open') return false;
    if (await isUntoldPush(request.access, data.head.sha, request.config, signal)) return false;
    await end(review, signal);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    review.log('the head of the pull request could not be read', error);
    return false;
  }
}

/** The newer head has an event of its own. */
function mayBeSuperseded({ takesEachPush, turn: { reading }, config: { review } }: JobRequest): boolean {
  const isAutomatic = reading.kind === 'pull-request' && reading.action !== 'review_requested';
  return takesEachPush === true && isAutomatic && review.auto === 'every-push' && review.debounceMs > 0;
}

async function end(review: Review, signal: AbortSignal): Promise<void> {
  const { access, session, turn } = review.request;
  const { reading } = turn;
  review.looks.isSuperseded = true;
  review.result = { produced: { kind: 'nothing' }, summary: SUPERSEDED, verify: [] };
  if (reading.kind !== 'pull-request') return;
  const { github, repo, ownLogin } = access;
  const job = { session, cause: reading.cause, why: 'superseded' } as const;
  await endLeftCheck({ github, repo, headSha: reading.headSha, ownLogin }, job, signal);
}

const SUPERSEDED = 'Superseded: a newer head is reviewed in its place.';
