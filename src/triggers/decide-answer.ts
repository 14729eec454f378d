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
} from './intake.ts';
import { namedRequest } from './named-request.ts';
import { replyTextsFor } from './reply-texts.ts';
import type { ReplyTexts } from './reply-texts.ts';
import { mayApprove } from './rights.ts';

/** Which open request `approve`, `deny` and `answer` are for. Without an id there must be exactly one. Pure. */
export function decideAnswer(
  reading: CommandReading,
  { session, permission, open }: Facts,
  { language }: Pick<DecideConfig, 'language'>,
): Intake {
  const { name, text } = reading.command;
  const texts = replyTextsFor(language, text);
  const { ids, rest } = namedRequest(reading.command);
  const fitting = open.filter(({ kind }) => name !== 'answer' || kind === 'question');
  const only = ids.length === 0 && fitting.length === 1 ? fitting[0]?.id : undefined;
  const request = ids.length === 1 ? ids[0] : only;
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
 * it (Q1). Whoever may not answer only talks; whose right cannot be looked up is told so by whoever settles it.
 */
export function decideRemark(reading: RemarkReading, facts: Facts, config: DecideConfig): Intake {
  const { open, session, permission } = facts;
  const questions = open.filter(({ kind }) => kind === 'question');
  const question = questions.length === 1 ? questions[0] : undefined;
  if (!question || !reading.byAuthor || reading.text === '') return { kind: 'ignore', why: 'no-open-question' };
  const isMeant = quotes(reading, question) || isReplyOf(reading, question);
  if (!isMeant || isOlder(reading, question)) return { kind: 'ignore', why: 'no-open-question' };
  const mayNot = permission !== 'could-not-check' && !mayApprove({ permission, actor: reading.actor }, config);
  if (reading.actor.isBot || mayNot) return { kind: 'ignore', why: 'no-permission' };
  const value = { kind: 'text', text: reading.text } as const;
  return { kind: 'answer', session, request: question.id, value, how: 'reply', permission, reading };
}

/** What is said of lines of a diff, or in a review, is about them. */
function isReplyOf({ comment, actor }: RemarkReading, { askedOf }: OpenRequest): boolean {
  return askedOf.id === actor.id && comment.place.kind === 'issue-comment';
}

/** What was written before the question, and is edited now or told late, does not answer it. */
function isOlder({ comment: { createdAt } }: RemarkReading, { askedAt }: OpenRequest): boolean {
  return createdAt !== undefined && createdAt < askedAt - CLOCKS_APART_MS;
}

/** GitHub's clock and ours may differ. */
const CLOCKS_APART_MS = 60_000;

/** Whether a line of some length that is quoted stands in the question. */
function quotes({ quoted }: RemarkReading, { text }: OpenRequest): boolean {
  const asked = squeeze(text);
  const lines = new Set(quoted.split('\n').map(squeeze));
  return [...lines].some((line) => line.length >= SHORTEST_QUOTE && asked.includes(line));
}

const SHORTEST_QUOTE = 8;

function squeeze(text: string): string {
  return text
    .replaceAll(/[\s*_`>#\\-]+/g, ' ')
    .trim()
    .toLowerCase();
}
