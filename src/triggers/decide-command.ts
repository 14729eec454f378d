import { COMMANDS } from './command-table.ts';
import type { CommandName } from './command-table.ts';
import { decideAnswer } from './decide-answer.ts';
import type { CommandReading, DecideConfig, Facts, Intake } from './intake.ts';
import { makesTurn } from './makes-turn.ts';
import { claimOf, ignore, isOverdone, whyNot } from './may-start.ts';
import type { JobKind } from './reading.ts';
import { replyTextsFor } from './reply-texts.ts';
import { requestText } from './request-text.ts';
import { atLeast, mayCommand } from './rights.ts';

export function decideCommand(reading: CommandReading, facts: Facts, config: DecideConfig): Intake {
  const { command } = reading;
  const not = whyNot(reading, command, facts, config);
  if (not) return not;
  if (command.name === 'say') return decideSay(reading, facts, config);
  if (['approve', 'deny', 'answer'].includes(command.name)) return decideAnswer(reading, facts, config);
  const { permission, session } = facts;
  if (!makesTurn(command)) return { kind: 'command', name: command.name, session, permission, reading };
  if (isOverdone(reading, facts, config)) return ignore('too-many-bot-turns');
  if (command.name === 'review' && reading.subject.kind === 'issue')
    return { kind: 'refuse', why: 'not-a-pull-request', reading };
  return turnOf(jobOf(command.name, facts), reading, facts);
}

function turnOf(job: JobKind, reading: CommandReading, { permission }: Facts): Intake {
  return { kind: 'turn', job, request: requestText(reading, job), permission, reading };
}

/** `retry` goes on with what was being made; what only read starts anew. */
function jobOf(name: CommandName, { lastJob }: Facts): JobKind {
  if (name === 'retry') return lastJob ?? 'fix';
  return name as JobKind;
}

/** Steers the running turn; else settles the one open question; else follows up with a turn of the last kind (S1). */
function decideSay(reading: CommandReading, facts: Facts, config: DecideConfig): Intake {
  const { running, session, permission, open, lastJob } = facts;
  const { text } = reading.command;
  if (text === '')
    return { kind: 'reply', text: replyTextsFor(config.language, text).isWritten(COMMANDS.say.usage), reading };
  if (running) return { kind: 'steer', session, text, permission, reading };
  const questions = open.filter(({ kind }) => kind === 'question');
  const question = questions.length === 1 ? questions[0] : undefined;
  if (question && atLeast(permission, config.permissions.approve)) {
    return {
      kind: 'answer',
      session,
      request: question.id,
      value: { kind: 'text', text },
      how: 'command',
      permission,
      reading,
    };
  }
  const job = lastJob ?? 'ask';
  if (isOverdone(reading, facts, config)) return ignore('too-many-bot-turns');
  const isAllowed = mayCommand({ name: job, text }, claimOf(reading, facts), config);
  return isAllowed ? turnOf(job, reading, facts) : { kind: 'refuse', why: 'no-permission', reading };
}
