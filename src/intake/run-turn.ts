import type { JobOutcome } from '../bot/job/job.ts';
import { jobOf } from '../bot/people/ask/request-job.ts';
import { withSettings } from '../bot/session/session-settings.ts';
import { mergeConfig } from '../config/merge-config.ts';
import type { Handled } from '../handle-event.ts';
import { isTakenElsewhere } from '../publish/progress/taken-elsewhere.ts';
import type { Turn } from '../publish/progress/surface.ts';
import type { HumanRequest } from '../store/records.ts';
import type { Intake } from '../triggers/intake.ts';
import type { Carrying } from './carrying.ts';
import { followUpFix } from './follow-up-fix.ts';
import { followUpGoal, runsLeft } from './follow-up-goal.ts';
import { followUpReview, insteadOf } from './follow-up-review.ts';
import { isUntoldHead, whyNoReview } from './unasked-review.ts';

/** Runs a turn in its session, and after it what follows from what it came to. */
export async function runTurn(turn: Extract<Intake, { kind: 'turn' }>, carrying: Carrying): Promise<Handled> {
  const { access, surface, signal, problem, session, host, layers } = carrying;
  const { subjects, settings } = host.services.records;
  const { repo, subject } = turn.reading;
  await subjects.assign(repo.id, subject.number, session);
  const bound = mergeConfig(layers.operator, layers.inputs).budget.turn.cost;
  const config = withSettings(carrying.config, await settings.get(session), bound);
  const { opening } = carrying;
  const expected = host.services.live.expect(session, turn.reading.cause);
  const until = AbortSignal.any([signal, expected.withdrawn]);
  const takesEachPush = host.postpone === undefined;
  const asked = { turn, session, access, config, surface, signal: until, problem, opening, takesEachPush };
  const running = host.runJob(asked);
  carrying.queued();
  const outcome = await running.catch((error: unknown) => whereNot(expected.withdrawn, error)).finally(expected.leave);
  if (!outcome && expected.withdrawn.aborted) await surface.withdrawn(turn);
  if (!outcome) return { status: 'ignored', why: expected.withdrawn.aborted ? 'withdrawn' : 'another-host' };
  if (outcome.produced.kind === 'pull-request') await subjects.assign(repo.id, outcome.produced.number, session);
  const newer = outcome.produced.kind === 'review' ? outcome.produced.newerHead : undefined;
  const isUntold = newer !== undefined && (await isUntoldHead(newer, { ...carrying, config }));
  const next =
    followUpFix(turn, outcome) ??
    followUpReview(turn, outcome, config, isUntold) ??
    (await furtherRun(turn, outcome, { ...carrying, config }));
  await followUp(next, carrying);
  return { status: outcome.status, outcome };
}

/** What ended because the turn is no longer wanted, or is another bot's, is no failure. */
function whereNot(withdrawn: AbortSignal, error: unknown): undefined {
  if (!withdrawn.aborted && !isTakenElsewhere(error)) throw error;
}

/** A log is read, and GitHub asked, only where a person allowed more runs. */
async function furtherRun(turn: Turn, outcome: JobOutcome, carrying: Carrying): Promise<Turn | undefined> {
  if (runsLeft(turn) < 1 || carrying.signal.aborted) return undefined;
  const { access, session, signal, config, host } = carrying;
  const { events } = await host.services.sessions.inspect(session);
  const answer = await access.permissionOf(access.repo, turn.reading.actor.login, signal);
  const permission = answer.kind === 'known' ? answer.permission : answer.kind;
  return followUpGoal(turn, outcome, { events, permission }, config);
}

/** What was pushed while a review was made is reviewed after it (R12); a plan that was approved is carried out. */
async function followUp(turn: Turn | undefined, { opening: _, ...carrying }: Carrying): Promise<void> {
  const { access, signal, session, host } = carrying;
  if (!turn || signal.aborted || (await host.causeTaken(session, turn.reading, access))) return;
  if ((await whyNoReview(turn, carrying)) === undefined) await runTurn(turn, carrying);
}

/** Goes on with the turn that waited for this request, as the job that it belongs to. */
export async function goOn(request: HumanRequest, carrying: Carrying): Promise<Handled> {
  const { turn } = jobOf(request);
  const opening = { kind: 'answer', request } as const;
  return runTurn(turn, { ...carrying, session: request.session, opening });
}

/** Where no event starts the review of the head that took this one's place, this event does. */
export async function reviewNewest(turn: Turn, carrying: Carrying): Promise<Handled | undefined> {
  const { access, config, session, signal, host } = carrying;
  const pull = { ...access.repo, pull_number: turn.reading.subject.number, request: { signal } };
  const { data } = await access.github.rest.pulls.get(pull);
  const isUntold = await isUntoldHead(data.head.sha, carrying);
  const newest = data.state === 'open' ? insteadOf(turn, data.head.sha, config, isUntold) : undefined;
  if (!newest || (await host.causeTaken(session, newest.reading, access))) return undefined;
  return (await whyNoReview(newest, carrying)) === undefined ? runTurn(newest, carrying) : undefined;
}
