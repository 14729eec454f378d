import { COMMANDS } from './command-table.ts';
import type {
  AnswerValue,
  BoxesReading,
  CommandReading,
  DecideConfig,
  Facts,
  Intake,
  OpenRequest,
  RemarkReading,
} from './decide.ts';
import { replyTextsFor } from './reply-texts.ts';
import type { ReplyTexts } from './reply-texts.ts';
import { mayApprove } from './rights.ts';

const ID = /^(?:ap|q)_[\w-]+/;

/** Which open request `approve`, `deny` and `answer` are for. Without an id there must be exactly one. Pure. */
export function decideAnswer(
  reading: CommandReading,
  { session, permission, open }: Facts,
  { language }: Pick<DecideConfig, 'language'>,
): Intake {
  const { name, text } = reading.command;
  const texts = replyTextsFor(language, text);
  const named = ID.exec(text)?.[0];
  const rest = named ? text.slice(named.length).trim() : text.trim();
  const fitting = open.filter(({ kind }) => name !== 'answer' || kind === 'question');
  const request = named ?? (fitting.length === 1 ? fitting[0]?.id : undefined);
  if (request === undefined) return { kind: 'reply', text: whichOne(fitting, COMMANDS[name].usage, texts), reading };
  if (name === 'answer' && rest === '') return { kind: 'reply', text: texts.isWritten(COMMANDS[name].usage), reading };
  return { kind: 'answer', session, request, value: valueOf(name, rest), how: 'command', permission, reading };
}

function valueOf(name: string, text: string): AnswerValue {
  if (name === 'approve') return { kind: 'approve' };
  return name === 'deny' ? { kind: 'deny', reason: text || undefined } : { kind: 'text', text };
}

function whichOne(open: readonly OpenRequest[], usage: string, texts: ReplyTexts): string {
  if (open.length === 0) return texts.nothingWaits;
  return texts.whichOne(
    usage,
    open.map(({ id }) => id),
  );
}

/** A tick is an answer by whoever ticked; that he may not is for whoever settles it, for he draws the box again (A2). */
export function decideBoxes(reading: BoxesReading, { session, permission }: Facts): Intake {
  const { request, ticked, checked } = reading;
  return {
    kind: 'answer',
    session,
    request,
    value: { kind: 'boxes', ticked, checked },
    how: 'box',
    permission,
    reading,
  };
}

/**
 * A comment without a command answers the one open question where it quotes it, or where the person who was asked wrote
 * it (Q1). Whoever may not answer only talks.
 */
export function decideRemark(reading: RemarkReading, facts: Facts, config: DecideConfig): Intake {
  const { open, session, permission } = facts;
  const questions = open.filter(({ kind }) => kind === 'question');
  const question = questions.length === 1 ? questions[0] : undefined;
  if (!question || !reading.byAuthor || reading.text === '') return { kind: 'ignore', why: 'no-open-question' };
  const isMeant = quotes(reading, question) || question.askedOf.id === reading.actor.id;
  if (!isMeant) return { kind: 'ignore', why: 'no-open-question' };
  if (reading.actor.isBot || !mayApprove({ permission, actor: reading.actor }, config))
    return { kind: 'ignore', why: 'no-permission' };
  const value = { kind: 'text', text: reading.text } as const;
  return { kind: 'answer', session, request: question.id, value, how: 'reply', permission, reading };
}

/** Whether a line of some length that is quoted stands in the question. */
function quotes({ quoted }: RemarkReading, { text }: OpenRequest): boolean {
  const lines = quoted.split('\n').map(squeeze);
  return lines.some((line) => line.length >= SHORTEST_QUOTE && squeeze(text).includes(line));
}

const SHORTEST_QUOTE = 8;

function squeeze(text: string): string {
  return text
    .replaceAll(/[\s*_`>#\\-]+/g, ' ')
    .trim()
    .toLowerCase();
}
