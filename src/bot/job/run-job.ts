import { removeCheckout } from '../../github/git/checkout.ts';
import { ensurePosted } from '../people/ask/draw-request.ts';
import { lookAtRequest } from '../people/answer/look-at-request.ts';
import { peopleParts } from '../people/people-of-turn.ts';
import { jobOf } from '../people/ask/request-job.ts';
import { isGivenUp } from '../people/end/is-given-up.ts';
import { standOfJob } from '../people/stand-of-job.ts';
import { tellWithdrawn } from '../people/end/tell-withdrawn.ts';
import { withdrawRequests } from '../people/end/withdraw-requests.ts';
import { tellGoalCheck } from '../fix/goal-check.ts';
import type { HumanRequest } from '../../store/records.ts';
import { describeEnding } from '../telling/describe-ending.ts';
import { JobView } from '../telling/job-view.ts';
import { problemOf } from '../telling/problem.ts';
import { handedBack, handsBack, leavesWork } from './handed-back.ts';
import type { JobResult } from './job-kind.ts';
import { tidied } from './job-parts.ts';
import type { JobParts } from './job-parts.ts';
import type { JobOutcome, JobRequest } from './job.ts';
import { LiveJob } from './live-job.ts';
import { takeUp } from './take-up.ts';
import { turnOutcome } from './turn-outcome.ts';
import { workOn } from './work-on.ts';

/** One job from its first sign to its result; it always ends in an outcome that was told. */
export async function runJob(given: JobRequest, parts: JobParts): Promise<JobOutcome> {
  if (!given.opening) await answerFirst(given, parts);
  const live = new LiveJob(given);
  const settled = new Set<string>();
  live.onSettled((id) => settled.add(id));
  const leave = parts.live.add(live);
  let outcome: JobOutcome;
  try {
    const access = given.access.narrowedTo?.(given.turn.job) ?? given.access;
    outcome = await runLive({ ...given, access, signal: AbortSignal.any([given.signal, live.stopped]) }, parts, live);
  } finally {
    leave();
    live.end();
  }
  // Whoever settled it while the turn was being parked still found the turn here, and left it to us.
  const [id] = outcome.status === 'parked' ? settled : [];
  const request = id === undefined ? undefined : await parts.records.requests.get(id);
  return request ? runJob({ ...given, opening: { kind: 'answer', request } }, parts) : outcome;
}

/** What a thumb on GitHub has decided meanwhile comes before the new command (A4). */
async function answerFirst(given: JobRequest, parts: JobParts): Promise<void> {
  const { access: place, config: rules, session, signal } = given;
  const people = peopleParts(parts);
  for (const open of await people.requests.openOf(session)) {
    const looking = { place, rules, at: parts.now().getTime(), signal };
    const request = await lookAtRequest(open, looking, people).catch((error: unknown) => {
      parts.log(`reactions to ${open.id} could not be read`, error);
    });
    if (request) await runJob({ ...given, turn: jobOf(request).turn, opening: { kind: 'answer', request } }, parts);
  }
}

async function runLive(request: JobRequest, parts: JobParts, live: LiveJob): Promise<JobOutcome> {
  const { surface, turn, session, signal } = request;
  const view = new JobView(request, parts);
  const log = await parts.logOf(session);
  const taken = takeUp(log, { cause: turn.reading.cause, opening: request.opening, isAgain: request.isAgain });
  const take = await standOfJob(taken, log, request, parts.records.requests);
  view.watch(() => log, take.from);
  await surface.accepted(turn);
  const told = await surface.openProgress(turn, { session, cause: turn.reading.cause }, view.draw);
  const progress = live.follow(told);
  const working = begin();
  const outcome = await working.catch((error: unknown) => {
    if (leavesWork(error) || handsBack(signal)) {
      progress.leave();
      throw handedBack(session, error);
    }
    if (live.stopped.aborted) return view.stopped();
    parts.log(`job of ${session} failed`, error);
    return view.failed(problemOf(error));
  });
  await progress.end(describeEnding(outcome, view.language)).catch((error: unknown) => {
    parts.log(`the result of ${session} could not be told`, error);
  });
  await concludeGoal(outcome).catch((error: unknown) => {
    parts.log(`what became of the goal of ${session} could not be told`, error);
  });
  return outcome;

  async function concludeGoal(ended: JobOutcome): Promise<void> {
    if (turn.job !== 'goal' || ended.status === 'parked') return;
    const events = await parts.logOf(session);
    const redact = (text: string) => parts.redactor.redact(text);
    await tellGoalCheck(request, { events, outcome: ended, language: view.language, redact });
  }

  async function begin(): Promise<JobOutcome> {
    if (take.kind === 'tell') return tellAgain(request, parts, view);
    if (take.kind === 'waits') {
      // What a process that was lost held for it: the tree is kept with the question (K1).
      await tidied(parts.endSandboxesOf(session), parts);
      await tidied(removeCheckout(parts.dataDir, session), parts);
      const asked = await parts.records.requests.get(take.request);
      if (asked) await lookOnce(await ensurePosted(asked, request.access, peopleParts(parts)), request, parts);
      return view.parked();
    }
    if (take.kind !== 'answer') await withdrawLeft(request, parts);
    else if (isGivenUp(take.request)) return view.stopped();
    return workOn(request, parts, view, progress, live, take);
  }
}

/** A session that is woken looks whether its question was answered meanwhile (A4): no sweep looks while it is in hand. */
async function lookOnce(asked: HumanRequest, request: JobRequest, parts: JobParts): Promise<void> {
  const { access: place, config: rules, signal } = request;
  const looking = { place, rules, at: parts.now().getTime(), signal };
  await lookAtRequest(asked, looking, peopleParts(parts)).catch((error: unknown) => {
    signal.throwIfAborted();
    parts.log(`reactions to ${asked.id} could not be read`, error);
  });
}

/** What an earlier turn of the session asked and nobody answered is asked no more: something else came (K4). */
async function withdrawLeft({ session, access, surface }: JobRequest, parts: JobParts): Promise<void> {
  const people = peopleParts(parts);
  const open = await people.requests.openOf(session);
  const withdrawn = await withdrawRequests(open, 'replaced', access, people);
  await tellWithdrawn(withdrawn, surface, parts);
}

/** The job ended in an earlier process, which perhaps told nobody. */
async function tellAgain({ config, session }: JobRequest, parts: JobParts, view: JobView): Promise<JobOutcome> {
  await tidied(parts.endSandboxesOf(session), parts);
  await tidied(removeCheckout(parts.dataDir, session), parts);
  const events = view.events();
  const last = events.findLast((event) => event.type === 'job/result');
  const { provider, model } = parts.targetOf(config);
  view.model = `${provider}/${model}`;
  const result = (last?.data.result ?? NO_RESULT) as unknown as JobResult;
  return view.finished({ result }, turnOutcome(events, { aborted: false }));
}

const NO_RESULT: JobResult = { produced: { kind: 'nothing' }, summary: '', verify: [] };
