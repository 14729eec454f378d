import { emitPull } from './pull-events.ts';
import type { Hub } from '../hub.ts';
import type { Account, Issue, Repository } from '../records.ts';
import { issueView } from '../views/issue.ts';

/** An event of the issue, or of the pull request it is. */
export async function emitSubject(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  action: string,
  extra: object = {},
): Promise<void> {
  if (issue.pull) await emitPull(hub, repository, issue, by, action, extra);
  else emitIssue(hub, repository, issue, by, action, extra);
}

export function emitIssue(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  action: string,
  extra: object = {},
): void {
  hub.webhooks.emit('issues', repository, by, { action, issue: issueView(hub, repository, issue), ...extra });
}
