import type { JobOutcome } from '../bot/job/job.ts';
import type { Config } from '../config/config.ts';
import type { Turn } from '../publish/progress/surface.ts';

/**
 * The review that a review leaves to be made (R12): of the head that was pushed meanwhile. Undefined where there is none, or
 * where that push is an event of its own that starts one; `isUntold`: it was a bot's, which starts none. Pure.
 */
export function followUpReview(
  turn: Turn,
  { produced, status }: Pick<JobOutcome, 'produced' | 'status'>,
  { review }: Pick<Config, 'review'>,
  isUntold: boolean,
): Turn | undefined {
  if (status !== 'completed' || produced.kind !== 'review' || produced.newerHead === undefined) return undefined;
  if ((review.auto === 'every-push' && !isUntold) || isFollowUp(turn)) return undefined;
  return reviewOf(turn, produced.newerHead);
}

/**
 * The review to make in place of one whose head was pushed over before it began, or before a process that was lost came to
 * the second (R12). Undefined where that push is an event of its own that starts one. Pure.
 */
export function insteadOf(
  turn: Turn,
  headSha: string,
  { review }: Pick<Config, 'review'>,
  isUntold: boolean,
): Turn | undefined {
  return review.auto === 'every-push' && !isUntold ? undefined : reviewOf(turn, headSha);
}

function reviewOf(turn: Turn, headSha: string): Turn {
  const { reading } = turn;
  const { repo, subject, actor, delivery } = reading;
  const cause = `head-${headSha}`;
  const baseSha = reading.kind === 'pull-request' ? reading.baseSha : headSha;
  const author = reading.kind === 'pull-request' ? reading.author : actor;
  const fromFork = reading.kind === 'pull-request' && reading.fromFork;
  const pushed = { kind: 'pull-request', action: FOLLOW_UP, author, headSha, baseSha, fromFork } as const;
  return {
    ...turn,
    request: 'Review this pull request.',
    reading: { ...pushed, repo, subject, actor, cause, delivery },
  };
}

const FOLLOW_UP = 'moved-in-review';

/** One is made for each review that was asked for: who pushes all the time asks again. */
function isFollowUp({ reading }: Turn): boolean {
  return reading.kind === 'pull-request' && reading.action === FOLLOW_UP;
}
