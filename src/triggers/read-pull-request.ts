import { machineAuthor } from './machine-author.ts';
import type { Payload } from './payload.ts';
import type { Reading } from './reading.ts';
import { ignore, toActor, toRepo } from './reading-parts.ts';
import type { TriggerConfig } from './trigger-config.ts';

/** Reads an automatic event of a pull request (R1). */
export function readPullRequest(p: Payload<'pull_request'>, delivery: string, config: TriggerConfig): Reading[] {
  const requested = p.action === 'review_requested' && isOurself(p.requested_reviewer?.login, config);
  if (!requested && !AUTOMATIC_ACTIONS.includes(p.action)) return [ignore('event-not-used')];
  const byMachine = machineAuthor(p.sender, config);
  if (byMachine) return [ignore(byMachine)];
  if (!requested && config.review.auto === 'off') return [ignore('automatic-review-off')];
  if (p.action === 'synchronize' && config.review.auto !== 'every-push') return [ignore('automatic-review-off')];
  if (!requested && p.pull_request.draft && !config.review.drafts) return [ignore('draft')];
  return [
    {
      kind: 'pull-request',
      action: p.action,
      repo: toRepo(p.repository),
      subject: { kind: 'pull', number: p.pull_request.number },
      actor: toActor(p.sender, p.pull_request.author_association),
      author: toActor(p.pull_request.user, p.pull_request.author_association),
      headSha: p.pull_request.head.sha,
      baseSha: p.pull_request.base.sha,
      fromFork: p.pull_request.head.repo?.id !== p.repository.id,
      cause: requested ? `event-${delivery}` : `head-${p.pull_request.head.sha}`,
      delivery,
    },
  ];
}

const AUTOMATIC_ACTIONS = ['opened', 'reopened', 'ready_for_review', 'synchronize'];

function isOurself(login: string | undefined, { self }: TriggerConfig): boolean {
  return Boolean(login && self.botLogin && login.toLowerCase() === self.botLogin.toLowerCase());
}
