import { randomBytes } from 'node:crypto';
import type { Agent } from '../../../harness/agent/types.ts';
import type { Context } from '../../../harness/kernel/context.ts';
import { BODY_MAX, strictLength } from '../../../publish/markdown/body.ts';
import { requestParts } from '../../../publish/request/request-comment.ts';
import type { QuestionView } from '../../../publish/request/request-view.ts';
import type {
  AskUserQuestionAnswer,
  AskUserQuestionItem,
  AskUserQuestionRequest,
} from '../../../seams/user-interaction/types.ts';
import { UserInteractionError } from '../../../seams/user-interaction/user-interaction-error.ts';
import type { HumanRequest } from '../../../store/records.ts';
import type { Asking } from './ask-people.ts';
import type { LoggedCall } from './logged-call.ts';
import type { ChannelParts } from '../people-channel.ts';
import { actionDigest } from './request-digest.ts';
import { QUESTION_FAILURES } from '../answer/settle-answer.ts';
import { toldAnswer } from '../answer/told-answer.ts';

/** `body` leaves room for who answered what. */
const MOST = { questions: 10, options: 20, label: 200, question: 2_000, body: BODY_MAX - 12_000 } as const;

/** Puts questions to people. Throws `UserInteractionError` that says why there is no answer. */
export async function answerByPeople(
  request: AskUserQuestionRequest,
  parts: ChannelParts,
): Promise<AskUserQuestionAnswer> {
  const { agent, signal = new AbortController().signal } = request;
  if (!agent) throw new UserInteractionError('a question needs an agent here', 'NO_AGENT');
  if (agent.id !== ownerOf(parts.agentCtx, agent)?.id)
    throw new UserInteractionError('this agent’s questions reach nobody here', 'NO_SESSION');
  const questions = redacted(request.questions, parts.redact);
  assertCanBeShown(questions);
  const call = waitingCallOf(agent);
  const tool = call?.name ?? 'ask_user_question';
  const asking: Asking = {
    ...{ id: `q_${randomBytes(6).toString('hex')}`, tool, callId: call?.callId, signal },
    digest: actionDigest(tool, JSON.stringify(request.questions)),
    data: { kind: 'question', questions },
  };
  return answerOf(await ask(agent, asking, parts), request.questions, questions);
}

/** What GitHub refuses is for the operator's log; the model is told that nobody saw the question. */
async function ask(agent: Agent, asking: Asking, { people }: ChannelParts): Promise<HumanRequest | undefined> {
  try {
    return await people.ask(agent, asking);
  } catch (error) {
    if (asking.signal.aborted) throw error;
    throw nobodyAsked(error);
  }
}

function nobodyAsked(cause?: unknown): UserInteractionError {
  const message = 'nobody can be asked here — decide yourself, and say so';
  return new UserInteractionError(message, 'ASK_FAILED', { cause });
}

function ownerOf(ctx: Context, agent: Agent): Agent | undefined {
  const live = ctx.agents.get(agent.id);
  return live === agent ? live : undefined;
}

/** A tool that asks is alone in its batch: its call is the last one logged. */
function waitingCallOf({ session }: Agent): LoggedCall | undefined {
  const call = session.events.findLast((event) => event.type === 'tool/call');
  return call?.type === 'tool/call' ? call.data : undefined;
}

function assertCanBeShown(questions: readonly AskUserQuestionItem[]): void {
  const isTooLong = questions.some(
    ({ question, options = [] }) =>
      question.length > MOST.question ||
      options.length > MOST.options ||
      options.some(({ label }) => label.length > MOST.label || !VISIBLE.test(label)),
  );
  const view = { kind: 'question', id: 'q_000000000000', language: 'zh', askedOf: '', expiresAt: 0 } as const;
  const tooMuch = questions.length > MOST.questions || isTooLong;
  if (!tooMuch && lengthOf({ ...view, questions: questions.map(withoutDetail) }) < MOST.body) return;
  throw new UserInteractionError(
    `the questions cannot be shown: at most ${MOST.questions} questions of ${MOST.question} characters, each with at most ${MOST.options} options of 1 to ${MOST.label} characters — ask less at once`,
    'ASK_FAILED',
  );
}

const VISIBLE = /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

function lengthOf(view: QuestionView): number {
  return strictLength(
    requestParts(view)
      .map(({ text }) => text)
      .join('\n\n'),
  );
}

function withoutDetail({ detail: _detail, ...question }: AskUserQuestionItem): AskUserQuestionItem {
  return question;
}

function redacted(questions: readonly AskUserQuestionItem[], redact: (text: string) => string): AskUserQuestionItem[] {
  const clean = (text: string | undefined) => (text === undefined ? undefined : redact(text));
  return questions.map(({ id, question, detail, header, options, multiSelect }) => ({
    ...{ id, question: redact(question) },
    ...(detail !== undefined && { detail: clean(detail)! }),
    ...(header !== undefined && { header: clean(header)! }),
    ...(options && {
      options: options.map(({ label, description }) => ({
        label: redact(label),
        ...(description !== undefined && { description: redact(description) }),
      })),
    }),
    ...(multiSelect !== undefined && { multiSelect }),
  }));
}

/** Labels go back as they were offered, whatever was taken out of them to be shown. */
function answerOf(
  settled: HumanRequest | undefined,
  offered: readonly AskUserQuestionItem[],
  shown: readonly AskUserQuestionItem[],
): AskUserQuestionAnswer {
  if (!settled) throw nobodyAsked();
  if (settled.state !== 'answered') {
    const { code, message } = QUESTION_FAILURES[settled.state === 'cancelled' ? 'cancelled' : 'unavailable'];
    throw new UserInteractionError(message, code);
  }
  const { answers, ...by } = toldAnswer(settled);
  return {
    ...by,
    answers: answers.map((given) => {
      const at = shown.findIndex(({ id }) => id === given.id);
      const labels = (shown[at]?.options ?? []).map(({ label }) => label);
      const selected = given.selected.map((label) => offered[at]?.options?.[labels.indexOf(label)]?.label ?? label);
      return { ...given, selected };
    }),
  };
}
