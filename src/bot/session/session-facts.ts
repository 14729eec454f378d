import type { SessionEvent, TurnTrigger } from '../../harness/session/types.ts';
import type { JobKind } from '../../triggers/reading.ts';
import './session-events.ts';

export interface SessionFacts {
  /** What the last turn was for. */
  readonly lastJob: JobKind | undefined;
  /** Turns at the end of the log that bots started, and those that failed checks started, without a person between them. */
  readonly botTurns: number;
  readonly checkTurns: number;
  /** Who asked last: on his authority a failed check is mended (F4). */
  readonly asker: { readonly id: number; readonly login: string } | undefined;
}

/** What a log says of how its turns came about. Pure. */
export function sessionFacts(events: readonly SessionEvent[]): SessionFacts {
  let facts: SessionFacts = { lastJob: undefined, botTurns: 0, checkTurns: 0, asker: undefined };
  for (const event of events) {
    if (event.type === 'turn/start') facts = afterTurn(facts, event.data.trigger);
    else if (isPersons(event)) facts = { ...facts, botTurns: 0, checkTurns: 0 };
  }
  return facts;
}

function afterTurn(facts: SessionFacts, trigger: TurnTrigger): SessionFacts {
  const lastJob = jobOf(trigger) ?? facts.lastJob;
  if (trigger.kind === 'github-check-failure') return { ...facts, lastJob, checkTurns: facts.checkTurns + 1 };
  const actor = trigger.kind === 'github-command' || trigger.kind === 'github-issue' ? trigger.actor : undefined;
  if (!actor) return { ...facts, lastJob };
  if (isBotLogin(actor.login)) return { ...facts, lastJob, botTurns: facts.botTurns + 1 };
  return { lastJob, botTurns: 0, checkTurns: 0, asker: { id: actor.id, login: actor.login } };
}

function jobOf(trigger: TurnTrigger): JobKind | undefined {
  switch (trigger.kind) {
    case 'github-command':
      return asJob(trigger.command.name);
    case 'github-dispatch':
      return asJob(trigger.inputs.command ?? '');
    case 'github-issue':
      return trigger.subject.kind === 'pull' ? 'review' : 'fix';
    case 'github-pull-request':
      return 'review';
    case 'github-check-failure':
      return 'fix';
    default:
      return undefined;
  }
}

function asJob(name: string): JobKind | undefined {
  return (['fix', 'review', 'ask', 'plan', 'goal'] as const).find((job) => job === name);
}

function isPersons(event: SessionEvent): boolean {
  if (event.type === 'human/answer') return event.data.actor !== undefined;
  if (event.type !== 'steering/message') return false;
  const { source } = event.data;
  return source.kind === 'github' && !isBotLogin(source.actor);
}

/** GitHub gives the logins of all apps this end. */
function isBotLogin(login: string): boolean {
  return login.endsWith('[bot]');
}
