/**
 * A trigger: an issue that is reopened asks for an explanation. A reader turns the event into a turn of a kind of its
 * own; who may start it, that it starts once, and where the answer goes is decided as for every other turn.
 *
 * In a bot: `createBot({ …, readers: [reopenedIssue] })`.
 */
import { PAYLOADS, placeOf } from 'dsh-github';
import type { EventReader } from 'dsh-github';
import type {} from 'dsh-github/llm';
import type {} from 'dsh-github/session';

declare module 'dsh-github/session' {
  interface TurnTriggerMap {
    /** What the log keeps of the event. `cause` and `delivery` are added by the bot. */
    'issue-reopened': { kind: 'issue-reopened'; issue: number; by: string };
  }
}
declare module 'dsh-github/llm' {
  interface MessageSourceMap {
    /** Nobody wrote the request, so it is no person's word. */
    'issue-reopened': { kind: 'issue-reopened' };
  }
}

export const reopenedIssue: EventReader = {
  // Pure: it only reads. `undefined` leaves the event to the next reader.
  read(event) {
    if (event.name !== 'issues') return undefined;
    const parsed = PAYLOADS.issues.safeParse(event.payload);
    const repo = placeOf(event)?.repo;
    if (!parsed.success || !repo || parsed.data.action !== 'reopened') return undefined;
    const { issue, sender } = parsed.data;
    // Machines reopen issues by the hundred.
    if (sender.type === 'Bot') return { kind: 'ignore', why: 'bot-author' };
    return {
      kind: 'custom',
      // The sender needs the permission that `/dsh ask` needs.
      job: 'ask',
      request:
        'This issue was closed and is open again. Explain from the code and the thread what the earlier change may have missed.',
      trigger: { kind: 'issue-reopened', issue: issue.number, by: sender.login },
      source: { kind: 'issue-reopened' },
      repo,
      subject: { kind: issue.pull_request ? 'pull' : 'issue', number: issue.number },
      actor: { id: sender.id, login: sender.login, association: issue.author_association },
      // One turn for each time it is reopened, however often GitHub delivers it.
      cause: `reopened-${event.delivery}`,
      delivery: event.delivery,
    };
  },
};
