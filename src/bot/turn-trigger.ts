import type { MessageSource } from '../harness/llm/types.ts';
import type { TurnTrigger } from '../harness/session/types.ts';
import type { Turn } from '../publish/surface.ts';
import './session-events.ts';

/** What the log keeps of the event that opened the turn. */
export function turnTrigger({ reading }: Turn): TurnTrigger {
  const { cause, delivery, subject, actor } = reading;
  if (reading.kind === 'custom') return { ...reading.trigger, cause, delivery } as TurnTrigger;
  const repo = { id: reading.repo.id, owner: reading.repo.owner, name: reading.repo.repo };
  const origin = { cause, delivery, repo, subject: { ...subject }, actor: { id: actor.id, login: actor.login } };
  if (reading.kind === 'pull-request') {
    const { action, headSha, baseSha } = reading;
    return { kind: 'github-pull-request', ...origin, action, headSha, baseSha };
  }
  const { name, flags, text } = reading.command;
  if (!reading.comment) {
    const inputs = { command: name, subject: `${subject.kind} ${subject.number}`, actor: actor.login };
    return { kind: 'github-dispatch', cause, delivery, repo, ref: reading.repo.defaultBranch, inputs, prompt: text };
  }
  const command = { name, args: { ...flags }, text };
  const { place, url } = reading.comment;
  const id = place.kind === 'issue' ? subject.number : place.id;
  return { kind: 'github-command', ...origin, command, comment: { id, url, place: place.kind } };
}

/** Who speaks; `trusted` comes from the looked-up permission alone. An automatic event is nobody's word. */
export function messageSource({ reading, permission }: Turn): MessageSource {
  if (reading.kind === 'custom') return reading.source;
  if (reading.kind === 'pull-request') return { kind: 'plugin', plugin: 'github' };
  return {
    kind: 'github',
    actor: reading.actor.login,
    association: reading.actor.association,
    permission,
    url: reading.comment?.url ?? '',
    trusted: reading.byAuthor && ['write', 'maintain', 'admin'].includes(permission),
  };
}
