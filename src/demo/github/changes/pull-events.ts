import type { Hub } from '../hub.ts';
import type { Account, Issue, Repository } from '../records.ts';
import { pullView } from '../views/pull.ts';

/** Sends one `pull_request` event. */
export async function emitPull(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  action: string,
  extra: object = {},
): Promise<void> {
  const view = await pullView(hub, repository, issue, issue.pull!);
  hub.webhooks.emit('pull_request', repository, by, { action, number: issue.number, pull_request: view, ...extra });
}
