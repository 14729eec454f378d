import type { RepositoryAccess } from '../bot/job/job.ts';
import type { Config } from '../config/config.ts';
import type { Host } from '../handle-event.ts';
import type { JsonValue } from '../harness/session/types.ts';
import { lookUpFacts } from './look-up-facts.ts';
import { decide } from '../triggers/decide.ts';
import type { Intake } from '../triggers/intake.ts';
import { readEvent } from '../triggers/read-event.ts';
import type { EventRepository, GitHubEvent, Reading, SubjectRef } from '../triggers/reading.ts';

export interface CommentsPlace {
  readonly access: RepositoryAccess;
  readonly config: Config;
  readonly repo: EventRepository;
  readonly subject: SubjectRef;
  readonly host: Host;
}

/**
 * What people wrote below a subject since a time, decided as if GitHub had delivered it just now: for hosts that no webhook
 * reaches. A command of a comment is decided once, whoever reads it first (T5). `seen` keeps the ids of those that
 * were carried out.
 */
export async function* readCommentsSince(
  place: CommentsPlace,
  since: Date,
  seen: Set<number>,
  isWanted: (reading: Reading, ofComment: readonly Reading[]) => boolean,
): AsyncGenerator<Intake, void, void> {
  const { access, config, host } = place;
  for (const event of await commentEvents(place, since, seen)) {
    const readings = readEvent(event, { ...config, self: access.self }, host.readers);
    for (const reading of readings) {
      if (isWanted(reading, readings)) yield decide(reading, await lookUpFacts(reading, access, host), config);
    }
    // Only now: what could not be carried out is read again.
    seen.add(idOf(event));
  }
}

/** What answers a question; everything else is left to whoever GitHub tells of it. */
export function isAnswer(reading: Reading): boolean {
  if (reading.kind === 'remark') return true;
  return reading.kind === 'command' && ['approve', 'deny', 'answer'].includes(reading.command.name);
}

async function commentEvents(place: CommentsPlace, since: Date, seen: Set<number>): Promise<GitHubEvent[]> {
  const { access, subject, host } = place;
  const comments = await access.github.paginate(access.github.rest.issues.listComments, {
    ...access.repo,
    ...{ issue_number: subject.number, since: since.toISOString(), per_page: 100, request: { signal: host.signal } },
  });
  const fresh = comments.filter(({ id, created_at: at }) => !seen.has(id) && Date.parse(at) >= wholeSecond(since));
  return fresh.map((comment) => ({
    name: 'issue_comment',
    delivery: `read-${comment.id}`,
    payload: payloadOf(comment as unknown as JsonValue, place),
  }));
}

/** GitHub tells times in whole seconds: what was written in the second of `since` may have come after it. */
function wholeSecond(since: Date): number {
  return Math.floor(since.getTime() / 1000) * 1000;
}

function idOf({ payload }: GitHubEvent): number {
  return (payload as { comment: { id: number } }).comment.id;
}

/** As GitHub's own event has it, as far as our reader looks. */
function payloadOf(comment: JsonValue, { repo, subject }: CommentsPlace): JsonValue {
  const { user } = comment as { user: JsonValue };
  return {
    action: 'created',
    issue: {
      ...{ id: 0, number: subject.number, user, state: 'open' },
      ...(subject.kind === 'pull' && { pull_request: {} }),
    },
    comment,
    sender: user,
    repository: {
      ...{ id: repo.id, name: repo.repo, full_name: `${repo.owner}/${repo.repo}`, private: repo.private },
      ...{ default_branch: repo.defaultBranch, owner: { login: repo.owner } },
    },
  };
}
