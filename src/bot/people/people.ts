import type { SessionEvent, SessionId } from '../../harness/session/types.ts';
import { languageOf } from '../../publish/language.ts';
import type { Language } from '../../publish/language.ts';
import { inertInline } from '../../publish/markdown/inert-line.ts';
import { REQUEST_TEXTS } from '../../publish/request/request-texts.ts';
import type { WithdrawnWhy } from '../../publish/request/request-texts.ts';
import type { CommandResult } from '../../seams/commands/types.ts';
import type { HumanRequest } from '../../store/records.ts';
import { comesFrom } from '../job/job-cause.ts';
import type { AnswerIntake, Answered, People, Place, Withdrawn } from '../job/services.ts';
import { redrawRequest } from './ask/draw-request.ts';
import { judgeAnswer } from './answer/judge-answer.ts';
import { lookAtRequest } from './answer/look-at-request.ts';
import type { Given, Judgement } from './answer/judge-answer.ts';
import type { PeopleParts } from './people-parts.ts';
import { isForOtherPlan, isPublication } from './publication-request.ts';
import { dataOf, settledOf, viewOf } from './request-data.ts';
import { jobOf } from './ask/request-job.ts';
import { settleRequest } from './answer/settle-request.ts';
import { isGivenUp } from './end/is-given-up.ts';
import { standingOf } from './standing-of.ts';
import { tellWithdrawn } from './end/tell-withdrawn.ts';
import type { TellingParts } from './end/tell-withdrawn.ts';
import { withdrawRequests } from './end/withdraw-requests.ts';
import { waitingRequest } from './waiting-request.ts';

export interface PeopleServiceParts extends PeopleParts, TellingParts {
  logOf(session: SessionId): Promise<readonly SessionEvent[]>;
}

/** What comes in from people about what they were asked: answers by all ways, and ends. */
export class PeopleService implements People {
  readonly #parts: PeopleServiceParts;

  constructor(parts: PeopleServiceParts) {
    this.#parts = parts;
  }

  async settle(intake: AnswerIntake, place: Place): Promise<Answered> {
    const request = await this.#find(intake, place);
    if (!request) return this.#unknown(intake, place);
    if (request.state !== 'pending') return this.#late(request, intake, place);
    if (intake.reading.kind === 'boxes' && intake.reading.isAltered) return this.#restore(request, intake, place);
    if (isOver(request, intake, this.#parts.now())) return this.#late(await this.#end(request, place), intake, place);
    const given = givenOf(intake, this.#parts.now().getTime());
    const judgement = judgeAnswer(request, given, place.config);
    if (judgement.kind === 'settle') return this.#settleBy(judgement, request, intake, place);
    await this.#undoTicks(request, intake, judgement, place);
    return { say: error(replyTo(judgement, request)) };
  }

  async withdraw(
    session: SessionId,
    why: Parameters<People['withdraw']>[1],
    place: Place | undefined,
    of?: Withdrawn,
  ): Promise<number> {
    const open = await this.#parts.requests.openOf(session);
    const meant = open.filter((request) => !of || isMeant(request, of));
    const withdrawn = await withdrawRequests(meant, WHYS[why], place?.access, this.#parts);
    const isLive = this.#parts.live.of(session) !== undefined;
    if (place && !isLive) await tellWithdrawn(withdrawn, place.surface, this.#parts);
    return withdrawn.length;
  }

  async outdatePlans(session: SessionId, { access }: Place): Promise<HumanRequest | undefined> {
    const open = await this.#parts.requests.openOf(session);
    const [withdrawn] = await withdrawRequests(open.filter(isPublication), 'plan-changed', access, this.#parts);
    const outdated = withdrawn ?? (await this.#outdatedBefore(session));
    return outdated && this.wakes(outdated);
  }

  /** By a process that was lost before it went on. */
  async #outdatedBefore(session: SessionId): Promise<HumanRequest | undefined> {
    const { requests, logOf } = this.#parts;
    const id = waitingRequest(await logOf(session));
    const request = id === undefined ? undefined : await requests.get(id);
    return request && isForOtherPlan(request) ? request : undefined;
  }

  /** What is to be gone on with because of a settled request: nothing where a turn of this process has it in hand. */
  async wakes(request: HumanRequest): Promise<HumanRequest | undefined> {
    const { live, logOf } = this.#parts;
    if (request.state === 'pending' || isGivenUp(request) || live.of(request.session)) return undefined;
    const standing = standingOf(await logOf(request.session), request.id, jobOf(request).turn.reading.cause);
    return standing === 'over' ? undefined : request;
  }

  /** A tick names the comment, also where the process that made it was lost before it could note it. */
  async #find(
    { request: id, session, reading }: AnswerIntake,
    { repository }: Place,
  ): Promise<HumanRequest | undefined> {
    const { requests } = this.#parts;
    const request = await requests.get(id);
    if (request?.repo !== repository || request.session !== session) return undefined;
    if (reading.kind !== 'boxes' || request.commentId === reading.commentId) return request;
    // The mark of a request in another comment of ours is somebody's edit: what is ticked there is not what was asked.
    if (request.commentId !== undefined) return undefined;
    await requests.commented(id, reading.commentId);
    return { ...request, commentId: reading.commentId };
  }

  async #settleBy(
    { state, answer }: Extract<Judgement, { kind: 'settle' }>,
    request: HumanRequest,
    intake: AnswerIntake,
    place: Place,
  ): Promise<Answered> {
    const settled = await settleRequest(request, state, answer, this.#parts);
    if (!settled) return this.#late((await this.#parts.requests.get(request.id))!, intake, place);
    await redrawRequest(settled, place.access, this.#parts);
    return { wakes: await this.wakes(settled) };
  }

  /** Its time is over, but a thumb that was given in time counts (A4, A5). */
  async #end(request: HumanRequest, { access, config: rules }: Place): Promise<HumanRequest> {
    const at = this.#parts.now().getTime();
    const over = { ...request, expiresAt: Math.min(request.expiresAt, at) };
    await lookAtRequest(over, { place: access, rules, at }, this.#parts);
    return (await this.#parts.requests.get(request.id))!;
  }

  /** The same comment again is no second answer, but what it was to wake may still sleep. A tick is taken back. */
  async #late(request: HumanRequest, intake: AnswerIntake, { access }: Place): Promise<Answered> {
    if (intake.how === 'box') await redrawRequest(request, access, this.#parts);
    const wakes = await this.wakes(request);
    return isSame(request, intake) ? { wakes } : { wakes, say: error(decidedText(request)) };
  }

  /** Nobody is to decide about another thing than what was asked: our words come back, and the ticks before them (A2). */
  async #restore(request: HumanRequest, { value }: AnswerIntake, { access }: Place): Promise<Answered> {
    if (value.kind === 'boxes') await redrawRequest(request, access, this.#parts, leftOf(value));
    return {};
  }

  /** A tick that counts for nothing is taken back, so that nobody believes it does (A2). */
  async #undoTicks(
    request: HumanRequest,
    { value }: AnswerIntake,
    judgement: Judgement,
    { access }: Place,
  ): Promise<void> {
    if (value.kind !== 'boxes' || judgement.kind === 'collect') return;
    await redrawRequest(request, access, this.#parts, leftOf(value));
  }

  #unknown({ request, reading }: AnswerIntake, { config }: Place): Answered {
    const words = reading.kind === 'command' ? reading.command.text : '';
    return { say: error(REQUEST_TEXTS[languageOf(config.language, words)].unknown(request)) };
  }
}

const WHYS: Readonly<Record<Parameters<People['withdraw']>[1], WithdrawnWhy>> = {
  closed: 'closed',
  merged: 'closed',
  'comment-deleted': 'comment-deleted',
  uninstalled: 'uninstalled',
  suspended: 'uninstalled',
  stopped: 'stopped',
  forgotten: 'stopped',
};

function isMeant(request: HumanRequest, { cause, commentId }: Withdrawn): boolean {
  if (commentId !== undefined && request.commentId === commentId) return true;
  return comesFrom(jobOf(request).turn.reading.cause, cause);
}

function leftOf({ ticked, checked }: Extract<AnswerIntake['value'], { kind: 'boxes' }>): number[] {
  return checked.filter((place) => !ticked.includes(place));
}

/** Whether this very answer settled it: two commands of one comment may say yes and no. */
function isSame({ state, answer }: HumanRequest, { reading, value }: AnswerIntake): boolean {
  if (answer?.actor?.id !== reading.actor.id) return false;
  if (reading.kind !== 'boxes' && answer.url !== reading.comment?.url) return false;
  if (value.kind === 'approve') return state !== 'rejected';
  return value.kind !== 'deny' || state !== 'allowed';
}

/** Judged by when it was said, where GitHub tells: a delivery may come late. */
function isOver({ expiresAt }: HumanRequest, { reading }: AnswerIntake, now: Date): boolean {
  return (reading.saidAt ?? now.getTime()) >= expiresAt;
}

function givenOf({ value, how, permission, reading }: AnswerIntake, at: number): Given {
  const { id, login, isBot } = reading.actor;
  const url = reading.kind === 'boxes' ? undefined : reading.comment?.url;
  const isOwn = reading.kind === 'boxes' || reading.byAuthor;
  return { value, how, permission, isOwn, url, at, actor: { id, login, ...(isBot !== undefined && { isBot }) } };
}

function textsOf(request: HumanRequest) {
  return REQUEST_TEXTS[languageOfRequest(request)];
}

function languageOfRequest(request: HumanRequest): Language {
  return dataOf(request).language;
}

function replyTo(judgement: Exclude<Judgement, { kind: 'settle' }>, request: HumanRequest): string | undefined {
  const texts = textsOf(request);
  const { id } = request;
  switch (judgement.kind) {
    case 'collect':
      return undefined;
    case 'refuse':
      return { 'not-allowed': texts.notAllowed, 'could-not-check': texts.couldNotCheck, 'not-yours': texts.notYours }[
        judgement.why
      ];
    case 'other-kind':
      return request.kind === 'question' ? texts.notAnApproval(id) : texts.notAQuestion(id);
    case 'unfit':
      return texts.doesNotFit(inertInline(judgement.why), waysOf(request));
  }
}

function waysOf(request: HumanRequest): string {
  const view = viewOf(request);
  const texts = textsOf(request);
  if (view.kind === 'approval') return texts.approvalWays(view.id);
  return view.questions.length > 1 ? texts.answersWays(view.id) : texts.answerWays(view.id, view.questions[0]!);
}

function decidedText(request: HumanRequest): string {
  const settled = settledOf(request)!;
  const texts = textsOf(request);
  const when = `${new Date(settled.at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return texts.decidedBefore(request.id, texts.ended[settled.state].toLowerCase(), settled.by ?? '', when);
}

function error(text: string | undefined): CommandResult | undefined {
  return text === undefined ? undefined : { kind: 'error', text };
}
