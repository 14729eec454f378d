import { machineAuthor } from './machine-author.ts';
import type { Payload } from './payload.ts';
import { readText } from './read-text.ts';
import type { CommentRef, Reading, SubjectRef } from './reading.ts';
import { ignore, toActor, toRepo } from './reading-parts.ts';
import { readSign } from './read-sign.ts';
import type { TriggerConfig } from './trigger-config.ts';

/** Reads what happens to an issue itself: its opening's commands, the label or assignment that starts us, its end. */
export function readIssue(p: Payload<'issues'>, delivery: string, config: TriggerConfig): Reading[] {
  const subject: SubjectRef = { kind: 'issue', number: p.issue.number };
  const actor = toActor(p.sender, 'NONE');
  const origin = { repo: toRepo(p.repository), subject, actor, cause: `event-${delivery}`, delivery };
  if (p.action === 'opened') return readOpening(p, delivery, config);
  const byMachine = machineAuthor(p.sender, config);
  const isEnd = GONE.has(p.action) && byMachine !== 'own-author';
  if (isEnd) return [{ kind: 'end', why: 'closed', of: undefined, commentId: undefined, ...origin }];
  if (byMachine) return [ignore(byMachine)];
  switch (p.action) {
    case 'edited':
      if (p.changes?.body === undefined) return [ignore('event-not-used')];
      return [{ kind: 'note', what: 'body-edited', text: p.issue.body ?? '', mayBeMore: false, ...origin }];
    case 'labeled':
    case 'assigned':
      return [readSign({ ...p, state: p.issue.state }, origin, config)];
    default:
      return [ignore('event-not-used')];
  }
}

/** Whoever does it, there is nothing left to work on; a merge bot closes issues, too. */
const GONE: ReadonlySet<string> = new Set(['closed', 'deleted', 'transferred']);

/** A title never commands, and an issue that came from another repository was read there. */
function readOpening(p: Payload<'issues'>, delivery: string, config: TriggerConfig): Reading[] {
  if (p.changes?.old_issue != null) return [ignore('event-not-used')];
  const subject: SubjectRef = { kind: 'issue', number: p.issue.number };
  const comment: CommentRef = { url: p.issue.html_url, place: { kind: 'issue' } };
  const said = { delivery, subject, comment, cause: `issue-${p.issue.id}`, said: p.issue, marked: {} };
  const readings = readText({ ...p, action: 'created' }, said, config);
  return readings.map((reading) =>
    reading.kind === 'remark' ? ignore(reading.mayBeMore ? 'no-command' : 'nothing-addressed') : reading,
  );
}
