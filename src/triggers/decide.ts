import type { Config } from '../config/config.ts';
import type { SessionId } from '../harness/session/types.ts';
import { nearestName } from '../config/nearest-name.ts';
import { COMMANDS } from './command-table.ts';
import type { CommandName } from './command-table.ts';
import { decideAnswer, decideBoxes, decideRemark } from './decide-answer.ts';
import { makesTurn } from './makes-turn.ts';
import { noteText } from './note-text.ts';
import { isPlugged, writtenName } from './plugged-command.ts';
import { replyTextsFor } from './reply-texts.ts';
import { requestText } from './request-text.ts';
import { atLeast, mayCommand } from './rights.ts';
import type { PermissionFact } from './rights.ts';
import type { EndReason, IgnoreReason, JobKind, Reading } from './reading.ts';

export type { JobKind } from './reading.ts';
export type { PermissionFact } from './rights.ts';

export interface RunningTurn {
  readonly cause: string;
  readonly startedBy: { readonly id: number; readonly login: string };
}

/** A question that waits for people. */
export interface OpenRequest {
  readonly id: string;
  readonly kind: 'approval' | 'question';
  readonly askedOf: { readonly id: number };
  /** When it was asked, in epoch milliseconds. */
  readonly askedAt: number;
  /** What a reply that quotes it would hold. */
  readonly text: string;
  /** The cause of the job that waits. */
  readonly cause: string | undefined;
}

/** What was looked up between reading and deciding. */
export interface Facts {
  readonly permission: PermissionFact;
  /** The cause was taken, by another delivery or a turn of the log (T5). */
  readonly causeTaken: boolean;
  readonly session: SessionId;
  /** What this person commanded in this repository within some minutes, this one included (X12). */
  readonly commands: number;
  /** That there is a limit, this person was told already. */
  readonly limitTold: boolean;
  readonly running: RunningTurn | undefined;
  readonly open: readonly OpenRequest[];
  /** What the session's last turn was for. */
  readonly lastJob: JobKind | undefined;
  /** Turns at the end of the log that this kind of machine started without a person between them (T7, F4). */
  readonly machineTurns: number;
  /** Names of the commands that plugins bring; looked up where what is written is none of ours. */
  readonly plugged: readonly string[];
  /** Who asked for the fix whose branch a check failed on; his right is looked up again (F4). */
  readonly asker?: { readonly id: number; readonly login: string } | undefined;
}

export type RefusedReading = TurnReading | Extract<Reading, { kind: 'misunderstood' }>;
export type RefuseReason = 'no-permission' | 'could-not-check' | 'not-a-pull-request' | 'too-many-commands';
export type CommandReading = Extract<Reading, { kind: 'command' }>;
export type RemarkReading = Extract<Reading, { kind: 'remark' }>;
export type BoxesReading = Extract<Reading, { kind: 'boxes' }>;
export type TurnReading = Extract<
  Reading,
  { kind: 'command' | 'pull-request' | 'labelled' | 'check-failure' | 'custom' }
>;

/** What somebody answered, as he gave it; whether it fits what was asked is for whoever settles it. */
export type AnswerValue =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly reason: string | undefined }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'boxes'; readonly ticked: readonly number[]; readonly checked: readonly number[] };

export type Intake =
  | { readonly kind: 'ignore'; readonly why: IgnoreReason }
  | { readonly kind: 'refuse'; readonly why: RefuseReason; readonly reading: RefusedReading }
  | {
      readonly kind: 'reply';
      readonly text: string;
      /** To be tried first on the session whose turn runs: plugins may have added the command. */
      readonly line?: string;
      readonly reading: Extract<Reading, { kind: 'command' | 'misunderstood' | 'remark' }>;
    }
  | {
      /** To a plugin of the session, which understands this line. */
      readonly kind: 'plugged';
      readonly line: string;
      readonly session: SessionId;
      readonly reading: Extract<Reading, { kind: 'misunderstood' }>;
    }
  | {
      /** Answered without the model. */
      readonly kind: 'command';
      readonly name: CommandName;
      readonly session: SessionId;
      readonly permission: PermissionFact;
      readonly reading: CommandReading;
    }
  | {
      readonly kind: 'turn';
      readonly job: JobKind;
      readonly request: string;
      readonly permission: PermissionFact;
      readonly reading: TurnReading;
    }
  | {
      readonly kind: 'steer';
      readonly session: SessionId;
      readonly text: string;
      readonly permission: PermissionFact;
      readonly reading: CommandReading;
    }
  | {
      readonly kind: 'answer';
      readonly session: SessionId;
      readonly request: string;
      readonly value: AnswerValue;
      readonly how: 'box' | 'command' | 'reply';
      /** Whoever settles it looks at it again: the decision is his (A2). */
      readonly permission: PermissionFact;
      readonly reading: CommandReading | RemarkReading | BoxesReading;
    }
  | {
      readonly kind: 'note';
      readonly session: SessionId;
      readonly text: string;
      readonly reading: Extract<Reading, { kind: 'note' }>;
    }
  | {
      readonly kind: 'end';
      readonly session: SessionId;
      readonly why: EndReason;
      readonly reading: Extract<Reading, { kind: 'end' }>;
    };

export type DecideConfig = Pick<Config, 'permissions' | 'maxBotTurns' | 'checks' | 'language'>;

/** Turns what was read and looked up into what is done. Pure (T13). */
export function decide(reading: Reading, facts: Facts, config: DecideConfig): Intake {
  switch (reading.kind) {
    case 'ignore':
      return reading;
    case 'misunderstood':
      return decideMisunderstood(reading, facts, config);
    case 'pull-request':
      return decideReview(reading, facts);
    case 'labelled':
      return decideLabelled(reading, facts, config);
    case 'check-failure':
      return decideCheck(reading, facts, config);
    case 'command':
      return decideCommand(reading, facts, config);
    case 'custom':
      return decideCustom(reading, facts, config);
    case 'boxes':
      return decideBoxes(reading, facts);
    case 'remark':
      return decideRemark(reading, facts, config);
    case 'note':
      return decideNote(reading, facts);
    case 'end':
      return decideEnd(reading, facts);
  }
}

function ignore(why: IgnoreReason): Intake {
  return { kind: 'ignore', why };
}

type Misunderstood = Extract<Reading, { kind: 'misunderstood' }>;

/** A plugin's command is refused as our own are; what nobody understands is told whoever may ask for help. */
function decideMisunderstood(reading: Misunderstood, facts: Facts, config: DecideConfig): Intake {
  const { line } = reading;
  const { session, plugged } = facts;
  if (line !== undefined && isPlugged(reading, plugged))
    return whyNot(reading, PLUGGED, facts, config) ?? { kind: 'plugged', line, session, reading };
  const mayBeTold = mayCommand({ name: 'help', text: '' }, claimOf(reading, facts), config);
  const isTold = !facts.causeTaken && facts.commands <= MAX_COMMANDS && mayBeTold;
  return isTold ? replyTo(reading, facts, config) : ignore('no-command');
}

/** What a plugin's command may do is not known, so it takes the right to run. */
const PLUGGED = { name: 'model', text: '' } as const;

/** One that a plugin brought to the running agent alone is known to nobody else, so that it is tried. */
function replyTo(reading: Misunderstood, facts: Facts, config: DecideConfig): Intake {
  const { reply, line } = reading;
  const mayTry = line !== undefined && facts.running && mayCommand(PLUGGED, claimOf(reading, facts), config);
  const text = nearPlugged(reading, facts, config) ?? reply;
  return { kind: 'reply', text, reading, ...(mayTry && { line }) };
}

function nearPlugged(reading: Misunderstood, { plugged }: Facts, { language }: DecideConfig): string | undefined {
  const written = writtenName(reading);
  const near = written && nearestName(written, [...Object.keys(COMMANDS), ...plugged]);
  if (!near || !plugged.includes(near)) return undefined;
  return replyTextsFor(language, reading.line ?? '').unknownCommand(written.replaceAll('`', '').slice(0, 40), near);
}

function claimOf(reading: Exclude<Reading, { kind: 'ignore' }>, { permission, running }: Facts) {
  return { permission, actor: reading.actor, startedBy: running?.startedBy };
}

function decideReview(reading: Extract<Reading, { kind: 'pull-request' }>, facts: Facts): Intake {
  if (facts.causeTaken) return ignore('cause-taken');
  const { permission } = facts;
  return { kind: 'turn', job: 'review', request: 'Review this pull request.', permission, reading };
}

/** Judged on who put the label there, whoever wrote the issue (T14); who may only sort issues is not scolded for it. */
function decideLabelled(reading: Extract<Reading, { kind: 'labelled' }>, facts: Facts, config: DecideConfig): Intake {
  const job = reading.subject.kind === 'pull' ? 'review' : 'fix';
  if (facts.causeTaken) return ignore('cause-taken');
  if (isOverdone(reading, facts, config)) return ignore('too-many-bot-turns');
  if (!mayCommand({ name: job, text: '' }, claimOf(reading, facts), config)) return ignore('no-permission');
  const request = job === 'fix' ? 'Fix this issue.' : 'Review this pull request.';
  return { kind: 'turn', job, request, permission: facts.permission, reading };
}

/** On the authority of whoever asked for the fix, and no more often in a row than `checks.rounds` (F4). */
function decideCheck(reading: Extract<Reading, { kind: 'check-failure' }>, facts: Facts, config: DecideConfig): Intake {
  const { asker, permission, machineTurns } = facts;
  if (facts.causeTaken) return ignore('cause-taken');
  if (!asker) return ignore('check-not-ours');
  if (machineTurns >= config.checks.rounds) return ignore('too-many-bot-turns');
  if (!atLeast(permission, config.permissions.run)) return ignore('no-permission');
  const request = 'A check failed on the branch of this pull request, which you made. Find out why, and mend it.';
  return {
    kind: 'turn',
    job: 'fix',
    request,
    permission,
    reading: { ...reading, actor: { ...asker, association: 'NONE' } },
  };
}

/** Who commands more within some minutes is told once, and not answered until they are over (X12). */
export const MAX_COMMANDS = 60;

/** Why somebody's command is not done; undefined where it is. */
function whyNot(
  reading: CommandReading | Misunderstood,
  command: Parameters<typeof mayCommand>[0],
  facts: Facts,
  config: DecideConfig,
): Intake | undefined {
  const { isBot } = reading.actor;
  if (facts.causeTaken) return ignore('cause-taken');
  if (facts.commands > MAX_COMMANDS)
    return facts.limitTold || isBot
      ? ignore('too-many-commands')
      : { kind: 'refuse', why: 'too-many-commands', reading };
  if (facts.permission === 'could-not-check' && !isBot) return { kind: 'refuse', why: 'could-not-check', reading };
  if (mayCommand(command, claimOf(reading, facts), config)) return undefined;
  return isBot ? ignore('bot-author') : { kind: 'refuse', why: 'no-permission', reading };
}

function decideCommand(reading: CommandReading, facts: Facts, config: DecideConfig): Intake {
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

/** Nobody wrote to us, so nobody is told that nothing was started. */
function decideCustom(reading: Extract<Reading, { kind: 'custom' }>, facts: Facts, config: DecideConfig): Intake {
  const { job, request } = reading;
  if (facts.causeTaken) return ignore('cause-taken');
  if (!mayCommand({ name: job, text: request }, claimOf(reading, facts), config)) return ignore('no-permission');
  return { kind: 'turn', job, request, permission: facts.permission, reading };
}

function isOverdone({ actor }: TurnReading, { machineTurns }: Facts, { maxBotTurns }: DecideConfig): boolean {
  return actor.isBot === true && machineTurns >= maxBotTurns;
}

/** The next prompt is made fresh, so only a turn that runs or waits has to be told. */
function decideNote(reading: Extract<Reading, { kind: 'note' }>, { running, open, session }: Facts): Intake {
  if (!running && open.length === 0) return ignore('nothing-to-tell');
  return { kind: 'note', session, text: noteText(reading), reading };
}

function decideEnd(reading: Extract<Reading, { kind: 'end' }>, { session }: Facts): Intake {
  return { kind: 'end', session, why: reading.why, reading };
}
