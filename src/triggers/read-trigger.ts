import { PAYLOADS } from './payload.ts';
import type { Payload, PayloadName } from './payload.ts';
import { readDispatch } from './read-dispatch.ts';
import { readPullRequest } from './read-pull-request.ts';
import { readText } from './read-text.ts';
import type { CommentRef, GitHubEvent, Reading, SubjectRef } from './reading.ts';
import { ignore } from './reading-parts.ts';
import type { TriggerConfig } from './trigger-config.ts';

/** Reads one event: what it says, in order. Pure, and never throws on a payload (T11–T13). */
export function readTrigger(event: GitHubEvent, config: TriggerConfig): Reading[] {
  if (event.name === 'dsh_dispatch') return readDispatch(event);
  if (!isUsed(event.name)) return [ignore('event-not-used')];
  const parsed = PAYLOADS[event.name].safeParse(event.payload);
  if (!parsed.success) return [ignore('malformed-payload')];
  return READERS[event.name](parsed.data as never, event.delivery, config);
}

const READERS: { [N in PayloadName]: (payload: Payload<N>, delivery: string, config: TriggerConfig) => Reading[] } = {
  issue_comment: (p, delivery, config) => {
    const subject: SubjectRef = { kind: p.issue.pull_request ? 'pull' : 'issue', number: p.issue.number };
    const comment: CommentRef = { url: p.comment.html_url, place: { kind: 'issue-comment', id: p.comment.id } };
    return readText(p, { delivery, subject, comment, cause: `comment-${p.comment.id}`, said: p.comment }, config);
  },
  issues: (p, delivery, config) => {
    if (p.action !== 'opened') return [ignore('event-not-used')];
    const subject: SubjectRef = { kind: 'issue', number: p.issue.number };
    const comment: CommentRef = { url: p.issue.html_url, place: { kind: 'issue' } };
    return readText(
      { ...p, action: 'created' },
      { delivery, subject, comment, cause: `issue-${p.issue.id}`, said: p.issue },
      config,
    );
  },
  pull_request_review: (p, delivery, config) => {
    const subject: SubjectRef = { kind: 'pull', number: p.pull_request.number };
    const comment: CommentRef = { url: p.review.html_url, place: { kind: 'review', id: p.review.id } };
    const action = p.action === 'submitted' ? 'created' : p.action;
    return readText(
      { ...p, action },
      { delivery, subject, comment, cause: `review-${p.review.id}`, said: p.review },
      config,
    );
  },
  pull_request_review_comment: (p, delivery, config) => {
    const subject: SubjectRef = { kind: 'pull', number: p.pull_request.number };
    const thread = {
      path: p.comment.path,
      side: p.comment.side === 'LEFT' ? ('LEFT' as const) : ('RIGHT' as const),
      startLine: p.comment.start_line ?? undefined,
      line: p.comment.line ?? undefined,
      hunk: p.comment.diff_hunk,
      rootId: p.comment.in_reply_to_id ?? p.comment.id,
    };
    const comment: CommentRef = {
      url: p.comment.html_url,
      place: { kind: 'review-comment', id: p.comment.id, thread },
    };
    return readText(
      p,
      { delivery, subject, comment, cause: `review-comment-${p.comment.id}`, said: p.comment },
      config,
    );
  },
  pull_request: readPullRequest,
};

function isUsed(name: string): name is PayloadName {
  return Object.hasOwn(PAYLOADS, name);
}
