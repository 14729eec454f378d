import type { Octokit } from '@octokit/rest';
import { statusOf } from '../github/request-hook.ts';
import type { Inbox } from '../store/records.ts';

export interface MissedOptions {
  /** With the rights of the App itself. */
  readonly github: Pick<Octokit, 'rest' | 'paginate'>;
  readonly inbox: Pick<Inbox, 'has'>;
  readonly now: () => Date;
}

/** How long GitHub lets a delivery be sent again. https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks */
const REDELIVERABLE_MS = 3 * 24 * 3_600_000;

/** Has GitHub send again what it could not deliver and what never came in by another attempt (H4). Answers how many. Rejects, after all others, where it refuses one. */
export async function redeliverMissed({ github, inbox, now }: MissedOptions, signal: AbortSignal): Promise<number> {
  const oldest = now().getTime() - REDELIVERABLE_MS;
  const latest = new Map<string, { id: number; isMissed: boolean }>();
  const pages = github.paginate.iterator(github.rest.apps.listWebhookDeliveries, {
    per_page: 100,
    request: { signal },
  });
  for await (const { data } of pages) {
    const young = data.filter(({ delivered_at }) => Date.parse(delivered_at) >= oldest);
    for (const { guid, id, status_code: status } of young) {
      // The list begins with the newest: what came through once, or is asked for already, is not asked for again.
      if (!latest.has(guid)) latest.set(guid, { id, isMissed: status < 200 || status >= 300 });
      else if (status >= 200 && status < 300) latest.get(guid)!.isMissed = false;
    }
    if (young.length < data.length) break;
  }
  let asked = 0;
  const refused: unknown[] = [];
  for (const [guid, { id, isMissed }] of [...latest].toReversed()) {
    signal.throwIfAborted();
    if (!isMissed || (await inbox.has(guid))) continue;
    try {
      await github.rest.apps.redeliverWebhookDelivery({ delivery_id: id, request: { signal } });
      asked += 1;
    } catch (error) {
      if (!isOfThisOne(error)) throw error;
      refused.push(error);
    }
  }
  if (refused.length > 0)
    throw new AggregateError(refused, `deliveries that GitHub does not send again: ${refused.length}`);
  return asked;
}

/** It is not there any more, or cannot be sent: that says nothing of the others, which wait behind it. */
function isOfThisOne(error: unknown): boolean {
  return [404, 410, 422].includes(statusOf(error) ?? 0);
}
