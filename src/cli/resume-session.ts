import { isAnswer, readCommentsSince } from '../intake/answers-on-github.ts';
import type { RepositoryAccess } from '../bot/job/job.ts';
import { redrawRequest } from '../bot/people/ask/draw-request.ts';
import { judgeAnswer } from '../bot/people/answer/judge-answer.ts';
import type { Given } from '../bot/people/answer/judge-answer.ts';
import { findTick } from '../bot/people/answer/find-tick.ts';
import { lookAtRequest } from '../bot/people/answer/look-at-request.ts';
import type { Looking } from '../bot/people/answer/look-at-request.ts';
import type { PeopleParts } from '../bot/people/people-parts.ts';
import { jobOf } from '../bot/people/ask/request-job.ts';
import { settleRequest } from '../bot/people/answer/settle-request.ts';
import { waitingRequest } from '../bot/people/waiting-request.ts';
import { goOn } from '../intake/run-turn.ts';
import type { Carrying } from '../intake/carrying.ts';
import { mergeConfig } from '../config/merge-config.ts';
import { DshError } from '../errors.ts';
import { createGitHub } from '../github/client.ts';
import type { GitHub } from '../github/client.ts';
import type { Handled, Host } from '../handle-event.ts';
import { SessionId } from '../harness/session/types.ts';
import { openAccess } from '../repository-access.ts';
import type { HumanRequest } from '../store/records.ts';
import { ownPermission } from './own-permission.ts';
import { printableWithout } from './printable.ts';
import { readOwner } from './run-on-subject.ts';
import type { TerminalOptions } from './run-on-subject.ts';
import { TerminalSurface } from './terminal-surface.ts';

export interface ResumeCall {
  readonly session: string;
  /** What is answered here; absent, GitHub is looked at. */
  readonly value: Exclude<Given['value'], { kind: 'boxes' | 'reaction' }> | undefined;
}

/**
 * Goes on with a parked session from a terminal: with an answer given here by `GITHUB_TOKEN`'s owner, or with what was
 * commanded, ticked or reacted on GitHub since it was asked.
 */
export async function resumeSession(call: ResumeCall, options: TerminalOptions): Promise<Handled[]> {
  const { bot, say } = options;
  const request = await findRequest(SessionId(call.session), options);
  const carrying = await carryingFor(request, options);
  const asked = request.state === 'pending' ? await look(call, request, carrying, options) : request;
  if (asked.state === 'pending') {
    say(`${request.id} still waits for an answer.`);
    return [{ status: 'parked', why: request.id }];
  }
  const wakes = await bot.services.people?.wakes(asked);
  return wakes ? [await goOn(wakes, carrying)] : [{ status: 'ignored', why: 'nothing-to-wake' }];
}

async function findRequest(session: SessionId, { bot }: TerminalOptions): Promise<HumanRequest> {
  const events = (await bot.sessions.has(session)) ? (await bot.sessions.inspect(session)).events : undefined;
  if (!events) throw new DshError(`There is no session ${session}.`, 'USAGE', 'Write `dsh sessions` to see them.');
  const id = waitingRequest(events);
  const request = id === undefined ? undefined : await bot.records.requests.get(id);
  if (request) return request;
  const hint = 'Only a parked session can be resumed; `dsh sessions show` tells how it ended.';
  throw new DshError(`Session ${session} waits for nobody.`, 'USAGE', hint);
}

async function look(
  call: ResumeCall,
  request: HumanRequest,
  carrying: Carrying,
  { bot, signal, say }: TerminalOptions,
): Promise<HumanRequest> {
  const { records, live, now, redact, log } = bot.services;
  const parts: PeopleParts = { requests: records.requests, live, now, redact, log };
  if (call.value) return answerHere(call.value, request, carrying, parts);
  await takeAnswers(request, carrying);
  const left = (await parts.requests.get(request.id))!;
  if (left.state !== 'pending') return left;
  const looking = { place: carrying.access, rules: carrying.config, at: now().getTime(), signal };
  return (await takeTick(left, looking, parts, say)) ?? (await lookAtRequest(left, looking, parts)) ?? left;
}

/** A tick counts where GitHub tells whose it is; else whoever resumes is told why it does not. */
async function takeTick(
  request: HumanRequest,
  looking: Looking,
  parts: PeopleParts,
  say: (line: string) => void,
): Promise<HumanRequest | undefined> {
  const { place, rules, at, signal } = looking;
  const found = await findTick(request, place, parts, { at, signal });
  if (found.kind === 'nobodys')
    say(`A box of ${request.id} is ticked, but not by one person alone: it counts for nobody.`);
  if (found.kind !== 'tick') return undefined;
  const judgement = judgeAnswer(request, found.given, rules);
  if (judgement.kind === 'refuse')
    say(`A box of ${request.id} is ticked by ${found.given.actor.login}, who may not decide about it.`);
  if (judgement.kind !== 'settle') return undefined;
  const settled = await settleRequest(request, judgement.state, judgement.answer, parts);
  if (settled) await redrawRequest(settled, place, parts);
  return settled;
}

/** Throws `USAGE` for an answer that does not fit, and `NOT_ALLOWED` for one of somebody who may not give it. */
async function answerHere(
  value: NonNullable<ResumeCall['value']>,
  request: HumanRequest,
  { access, config, signal }: Carrying,
  parts: PeopleParts,
): Promise<HumanRequest> {
  const actor = await readOwner(access.github, signal);
  const right = await access.permissionOf(access.repo, actor.login, signal);
  const permission = right.kind === 'known' ? right.permission : right.kind;
  const given: Given = { value, how: 'terminal', actor, permission, url: undefined, at: parts.now().getTime() };
  const judgement = judgeAnswer(request, given, config);
  if (judgement.kind === 'refuse') {
    const hint = 'Somebody else must answer, here or on GitHub.';
    throw new DshError(`${actor.login} may not decide about ${request.id} (${judgement.why}).`, 'NOT_ALLOWED', hint);
  }
  if (judgement.kind !== 'settle') {
    const why = judgement.kind === 'unfit' ? judgement.why : `it waits for ${WANTED[request.kind]}`;
    throw new DshError(`That does not answer ${request.id}: ${why}.`, 'USAGE', 'Its comment says what is asked.');
  }
  const settled = await settleRequest(request, judgement.state, judgement.answer, parts);
  if (settled) await redrawRequest(settled, access, parts);
  return settled ?? (await parts.requests.get(request.id))!;
}

const WANTED = { approval: '--approve or --deny', question: '--answer' } as const;

/** Answers that people wrote on GitHub while no host listened. */
async function takeAnswers(request: HumanRequest, carrying: Carrying): Promise<void> {
  const { repo, subject } = jobOf(request).turn.reading;
  const place = { access: carrying.access, config: carrying.config, repo, subject, host: carrying.host };
  for await (const intake of readCommentsSince(place, new Date(request.askedAt), new Set(), isAnswer)) {
    if (intake.kind === 'answer' && intake.request === request.id)
      await carrying.host.services.people?.settle(intake, carrying);
  }
}

async function carryingFor(request: HumanRequest, options: TerminalOptions): Promise<Carrying> {
  const { env, bot, operator, inputs, userAgent, signal } = options;
  const { GITHUB_TOKEN: auth, GITHUB_API_URL: apiUrl } = env;
  const hint = 'Set it to a token that may write to the repository.';
  if (!auth) throw new DshError('GITHUB_TOKEN is not set.', 'GITHUB_NOT_CONFIGURED', hint);
  const { repo } = jobOf(request).turn.reading;
  const { login: ownLogin } = await readOwner(createGitHub({ auth, apiUrl, userAgent }) as GitHub, signal);
  const { redactor } = bot;
  const opened = openAccess({ ...{ auth, apiUrl, userAgent, ownLogin, repo, redactor }, self: {} });
  const access: RepositoryAccess = { ...opened, permissionOf: ownPermission(opened.permissionOf) };
  const repository = await access.repositoryConfig(operator);
  const host = terminalHost(access, options);
  return {
    ...{ access, repository: repo.id, layers: { operator, repository, inputs }, signal, host, problem: undefined },
    ...{ config: mergeConfig(operator, repository, inputs), surface: host.surfaceFor(access, mergeConfig()) },
    ...{ session: request.session, queued: () => {} },
  };
}

function terminalHost(access: RepositoryAccess, options: TerminalOptions): Host {
  const { bot, operator, inputs, say, signal, asking } = options;
  const tell = (text: string) => say(printableWithout(text, (raw) => bot.redactor.redact(raw)));
  return {
    ...{ self: {}, operator, inputs, signal, services: bot.services },
    openRepository: async () => access,
    surfaceFor: () => new TerminalSurface(tell),
    runJob: (job) => bot.runJob({ ...job, asking }),
    causeTaken: (_session, { repo, cause, delivery }) => bot.causeTaken(repo.id, cause, delivery),
  };
}
