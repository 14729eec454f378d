import { machineAuthor } from './machine-author.ts';
import type { Payload } from './payload.ts';
import { readSign } from './read-sign.ts';
import type { Reading } from './reading.ts';
import { ignore, isOurself, markedSession, toActor, toRepo } from './reading-parts.ts';
import type { TriggerConfig } from './trigger-config.ts';

/** Reads what happens to a pull request: an automatic review (R1), a label that starts one, what a running turn should know, its end. */
export function readPullRequest(p: Payload<'pull_request'>, delivery: string, config: TriggerConfig): Reading[] {
  const origin = originOf(p, delivery, config);
  if (p.action === 'closed') {
    const why = p.pull_request.merged ? ('merged' as const) : ('closed' as const);
    return isOurself(p.sender.login, config)
      ? [ignore('own-author')]
      : [{ kind: 'end', why, of: undefined, commentId: undefined, ...origin }];
  }
  const requested = p.action === 'review_requested' && isOurself(p.requested_reviewer?.login, config);
  if (!requested && !USED.includes(p.action)) return [ignore('event-not-used')];
  const byMachine = machineAuthor(p.sender, config);
  if (byMachine) return [ignore(byMachine)];
  switch (p.action) {
    case 'labeled':
    case 'assigned':
      return [readSign({ ...p, state: p.pull_request.state }, origin, config)];
    case 'edited':
      if (p.changes?.body === undefined) return [ignore('event-not-used')];
      return [{ kind: 'note', what: 'body-edited', text: p.pull_request.body ?? '', mayBeMore: false, ...origin }];
    case 'synchronize':
      return [readReview(p, delivery, config), pushNote(p, origin)];
    default:
      return [readReview(p, delivery, config)];
  }
}

const USED = ['opened', 'reopened', 'ready_for_review', 'synchronize', 'labeled', 'assigned', 'edited'];

function originOf(p: Payload<'pull_request'>, delivery: string, config: TriggerConfig) {
  return {
    repo: toRepo(p.repository),
    subject: { kind: 'pull', number: p.pull_request.number } as const,
    actor: toActor(p.sender, p.pull_request.author_association),
    cause: `event-${delivery}`,
    delivery,
    ...markedSession(p.pull_request, p.repository.id, config),
  };
}

function pushNote(
  { pull_request: { head }, before }: Payload<'pull_request'>,
  origin: ReturnType<typeof originOf>,
): Reading {
  return { kind: 'note', what: 'push', text: `${before ?? 'unknown'} ${head.sha}`, mayBeMore: false, ...origin };
}

function readReview(p: Payload<'pull_request'>, delivery: string, config: TriggerConfig): Reading {
  const requested = p.action === 'review_requested';
  if (!requested && config.review.auto === 'off') return ignore('automatic-review-off');
  if (p.action === 'synchronize' && config.review.auto !== 'every-push') return ignore('automatic-review-off');
  if (!requested && p.pull_request.draft && !config.review.drafts) return ignore('draft');
  return {
    kind: 'pull-request',
    action: p.action,
    ...originOf(p, delivery, config),
    author: toActor(p.pull_request.user, p.pull_request.author_association),
    headSha: p.pull_request.head.sha,
    baseSha: p.pull_request.base.sha,
    fromFork: p.pull_request.head.repo?.id !== p.repository.id,
    cause: requested ? `event-${delivery}` : `head-${p.pull_request.head.sha}`,
  };
}
