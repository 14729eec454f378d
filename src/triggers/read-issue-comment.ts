import type { Payload } from './payload.ts';
import { isAltered, newlyTicked } from './read-boxes.ts';
import { readText } from './read-text.ts';
import type { CommentRef, Reading, SubjectRef } from './reading.ts';
import { createdAt, ignore, isOurself, markedSession, saidAt, toActor, toRepo } from './reading-parts.ts';
import type { TriggerConfig } from './trigger-config.ts';

/** Reads a comment below an issue or pull request: what it says, the boxes ticked in one of ours, or that it is gone. */
export function readIssueComment(p: Payload<'issue_comment'>, delivery: string, config: TriggerConfig): Reading[] {
  const subject: SubjectRef = { kind: p.issue.pull_request ? 'pull' : 'issue', number: p.issue.number };
  const marked = p.issue.pull_request ? markedSession(p.issue, p.repository.id, config) : {};
  const cause = `comment-${p.comment.id}`;
  const actor = toActor(p.sender, 'NONE');
  const origin = { repo: toRepo(p.repository), subject, actor, cause, delivery, ...saidAt(p.comment), ...marked };
  if (p.action === 'deleted')
    return [{ kind: 'end', why: 'comment-deleted', of: cause, commentId: p.comment.id, ...origin }];
  if (p.action === 'edited' && isOurs(p, config)) return [readTicks(p, origin, config)];
  const place = { kind: 'issue-comment', id: p.comment.id } as const;
  const comment: CommentRef = { url: p.comment.html_url, ...createdAt(p.comment), place };
  return readText(p, { delivery, subject, comment, cause, said: p.comment, marked }, config);
}

function isOurs({ comment, sender }: Payload<'issue_comment'>, config: TriggerConfig): boolean {
  const { appId } = config.self;
  const byOurApp = appId !== undefined && comment.performed_via_github_app?.id === appId;
  return sender.type !== 'Bot' && (byOurApp || isOurself(comment.user.login, config));
}

type Origin = Omit<
  Extract<Reading, { kind: 'boxes' }>,
  'kind' | 'request' | 'commentId' | 'ticked' | 'checked' | 'isAltered'
>;

/** A tick has a cause of its own: it is an edit of a comment that starts nothing. With a person's token we draw as he does. */
function readTicks(
  { comment, changes, sender }: Payload<'issue_comment'>,
  origin: Origin,
  config: TriggerConfig,
): Reading {
  const body = comment.body ?? '';
  const from = changes?.body?.from;
  const request = from == null ? undefined : REQUEST.exec(from)?.[1];
  if (request === undefined || from == null) return ignore('marker');
  const { ticked, checked } = newlyTicked(from, body);
  const altered = !isOurself(sender.login, config) && isAltered(from, body);
  if (ticked.length === 0 && !altered) return ignore('nothing-ticked');
  const cause = `event-${origin.delivery}`;
  const boxes = { ticked, checked, ...(altered && { isAltered: true }) };
  return { kind: 'boxes', ...origin, cause, request, commentId: comment.id, ...boxes };
}

const REQUEST = /<!-- dsh:request ([a-z]+_[\w-]+) -->/;
