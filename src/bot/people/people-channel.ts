import { randomBytes } from 'node:crypto';
import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { CallId } from '../../harness/llm/types.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import type { Config } from '../../config/config.ts';
import { BODY_MAX, strictLength } from '../../publish/body.ts';
import { requestParts } from '../../publish/request-comment.ts';
import type { QuestionView } from '../../publish/request-view.ts';
import { idOfRequest } from '../../seams/approval/open-approvals.ts';
import type { ApprovalOutcome, ApprovalRequest } from '../../seams/approval/types.ts';
import type {
  AskUserQuestionAnswer,
  AskUserQuestionItem,
  AskUserQuestionRequest,
} from '../../seams/user-interaction/types.ts';
import { UserInteractionError } from '../../seams/user-interaction/user-interaction-error.ts';
import type { HumanRequest, RequestState } from '../../store/records.ts';
import { pathsOf, ruleFor } from './approval-rules.ts';
import type { AskPeople, Asking } from './ask-people.ts';
import type { PublicationAsking } from './ask-publication.ts';
import { actionDigest } from './request-digest.ts';
import { QUESTION_FAILURES } from './settle-answer.ts';
import { showCall, touchesOf } from './show-call.ts';

export interface ChannelParts {
  readonly agentCtx: Context;
  readonly people: Pick<AskPeople, 'ask'>;
  readonly rules: Config['approval']['rules'];
  readonly redact: (text: string) => string;
  /** What a request of ours for a publication shows. */
  readonly publicationOf: (request: ApprovalRequest) => PublicationAsking | undefined;
}

/** Carries the questions of one agent to people: approvals by the event, questions as their provider. */
export function addPeopleChannel(parts: ChannelParts): void {
  const { agentCtx, rules } = parts;
  agentCtx.on('tools/pre-execute', async (exec, next) => {
    const call = exec.agent && loggedCall(exec.agent, exec.callId);
    const rule = call && ruleFor(rules, ruledCall(call));
    if (rule === 'deny') return { kind: 'deny', reason: DENIED };
    return rule === 'ask' ? { kind: 'ask', reason: 'a rule of this repository asks for it' } : next();
  });
  agentCtx.on('approval/request', (request, next) => approve(request, next, parts));
  agentCtx.get('userInteraction')?.registerProvider({ ask: (request) => answer(request, parts) });
}

const DENIED = 'a rule of this repository does not allow this call — do not repeat it; go on without it';

const OUTCOMES: Readonly<Record<RequestState, ApprovalOutcome>> = {
  pending: 'unavailable',
  allowed: 'allowed-once',
  rejected: 'rejected',
  answered: 'unavailable',
  cancelled: 'cancelled',
  unavailable: 'unavailable',
};

async function approve(
  request: ApprovalRequest,
  next: () => Promise<ApprovalOutcome>,
  parts: ChannelParts,
): Promise<ApprovalOutcome> {
  const { agent } = request;
  if (parts.agentCtx.agents.get(agent.id) !== agent) return next();
  const id = idOfRequest(request);
  const asking = id && (parts.publicationOf(request) ?? askingOf(request, parts));
  if (!asking) return 'unavailable';
  if ('ruled' in asking) return asking.ruled;
  const signal = request.signal ?? new AbortController().signal;
  const settled = await parts.people.ask(agent, { ...asking, id, callId: request.callId, signal });
  return settled ? OUTCOMES[settled.state] : 'unavailable';
}

type CallAsking = Omit<Asking, 'id' | 'callId' | 'signal'> | { readonly ruled: ApprovalOutcome };

/** Undefined where there is no logged call to show, or it cannot be shown whole. */
function askingOf(request: ApprovalRequest, { rules, redact }: ChannelParts): CallAsking | undefined {
  const { agent, callId, reason } = request;
  const call = callId && loggedCall(agent, callId);
  if (!call) return undefined;
  const rule = ruleFor(rules, ruledCall(call));
  if (rule === 'allow') return { ruled: 'allowed-once' };
  if (rule === 'deny') return { ruled: 'rejected' };
  const shown = showCall(call.arguments, redact);
  if (!shown) return undefined;
  return {
    tool: call.name,
    digest: actionDigest(call.name, call.arguments),
    data: {
      ...{ kind: 'approval', shown, touches: touchesOf(call.arguments).map(redact) },
      ...(reason !== undefined && { reason: redact(reason) }),
    },
  };
}

type LoggedCall = SessionEvent<'tool/call'>['data'];

function loggedCall(agent: Agent, callId: CallId): LoggedCall | undefined {
  const isIt = (event: SessionEvent): event is SessionEvent<'tool/call'> =>
    event.type === 'tool/call' && event.data.callId === callId;
  return agent.session.events.findLast(isIt)?.data;
}

function ruledCall({ name, arguments: raw }: LoggedCall) {
  return { tool: name, arguments: raw, paths: pathsOf(raw) };
}

/** `body` leaves room for who answered what. */
const MOST = { questions: 10, options: 20, label: 200, question: 2_000, body: BODY_MAX - 12_000 } as const;

async function answer(request: AskUserQuestionRequest, parts: ChannelParts): Promise<AskUserQuestionAnswer> {
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
  return answerOf(await parts.people.ask(agent, asking), request.questions, questions);
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
      options.some(({ label }) => label.length > MOST.label || label.trim() === ''),
  );
  const view = { kind: 'question', id: 'q_000000000000', language: 'zh', askedOf: '', expiresAt: 0 } as const;
  const tooMuch = questions.length > MOST.questions || isTooLong;
  if (!tooMuch && lengthOf({ ...view, questions: questions.map(withoutDetail) }) < MOST.body) return;
  throw new UserInteractionError(
    `the questions cannot be shown: at most ${MOST.questions} questions of ${MOST.question} characters, each with at most ${MOST.options} options of 1 to ${MOST.label} characters — ask less at once`,
    'ASK_FAILED',
  );
}

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
  if (!settled) throw new UserInteractionError('nobody can be asked here — decide yourself, and say so', 'ASK_FAILED');
  if (settled.state !== 'answered') {
    const { code, message } = QUESTION_FAILURES[settled.state === 'cancelled' ? 'cancelled' : 'unavailable'];
    throw new UserInteractionError(message, code);
  }
  const { answers } = settled.answer?.value as unknown as AskUserQuestionAnswer;
  return {
    answers: answers.map((given) => {
      const at = shown.findIndex(({ id }) => id === given.id);
      const labels = (shown[at]?.options ?? []).map(({ label }) => label);
      const selected = given.selected.map((label) => offered[at]?.options?.[labels.indexOf(label)]?.label ?? label);
      return { ...given, selected };
    }),
  };
}
