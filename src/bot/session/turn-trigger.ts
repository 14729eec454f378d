import type { MessageSource } from '../../harness/llm/types.ts';
import type { TurnTrigger } from '../../harness/session/types.ts';
import type { Turn } from '../../publish/progress/surface.ts';
import type { HumanRequest } from '../../store/records.ts';
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
  if (reading.kind === 'labelled') {
    const { action, label } = reading;
    return { kind: 'github-issue', ...origin, action, ...(label !== undefined && { label }) };
  }
  if (reading.kind === 'check-failure') {
    const { run, headSha } = reading;
    return { kind: 'github-check-failure', ...origin, run: { ...run }, headSha };
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
  if (reading.kind !== 'command') return { kind: 'plugin', plugin: 'github' };
  return {
    kind: 'github',
    actor: reading.actor.login,
    association: reading.actor.association,
    permission,
    url: reading.comment?.url ?? '',
    trusted: reading.byAuthor && ['write', 'maintain', 'admin'].includes(permission),
  };
}

/** Of the turn that goes on with what somebody answered. */
export function answerTrigger({ reading }: Turn, { id, answer }: HumanRequest): TurnTrigger {
  const { cause, subject, repo } = reading;
  const logged = { id: repo.id, owner: repo.owner, name: repo.repo };
  const actor = answer?.actor && { id: answer.actor.id, login: answer.actor.login };
  return { kind: 'github-answer', cause, repo: logged, subject: { ...subject }, request: id, ...(actor && { actor }) };
}

/** Of the turn that goes on where turn `turn` was cut off. */
export function resumeTrigger({ reading }: Turn, turn: number): TurnTrigger {
  const { cause, subject, repo } = reading;
  const logged = { id: repo.id, owner: repo.owner, name: repo.repo };
  return { kind: 'github-resume', cause, repo: logged, subject: { ...subject }, turn };
}
