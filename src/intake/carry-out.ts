import type { Handled, Host } from '../handle-event.ts';
import { answerCommand } from '../bot/commands/answer-command.ts';
import { answerPlugged, tryPlugged } from '../bot/commands/plugged-command.ts';
import { endSession } from '../bot/session/end-session.ts';
import type { JobOutcome, Problem } from '../bot/job/job.ts';
import { isUntoldPush } from '../bot/review/is-untold-push.ts';
import { skipReview } from '../bot/review/skip-review.ts';
import type { LiveTurn } from '../bot/job/live-turns.ts';
import type { Opening } from '../bot/job/opening.ts';
import { jobOf } from '../bot/people/ask/request-job.ts';
import { noteParked } from '../bot/session/note-parked.ts';
import { noteContent, steerContent } from '../bot/context/steer-content.ts';
import type { Place } from '../bot/job/services.ts';
import { withSettings } from '../bot/session/session-settings.ts';
import { wasTold } from '../bot/session/was-told.ts';
import { messageSource } from '../bot/session/turn-trigger.ts';
import { mergeConfig } from '../config/merge-config.ts';
import { followUpFix } from './follow-up-fix.ts';
import { followUpGoal, runsLeft } from './follow-up-goal.ts';
import { followUpReview, insteadOf } from './follow-up-review.ts';
import type { SessionId } from '../harness/session/types.ts';
import type { CommandResult } from '../seams/commands/types.ts';
import { isTakenElsewhere } from '../publish/progress/taken-elsewhere.ts';
import type { Turn } from '../publish/progress/surface.ts';
import type { Intake } from '../triggers/decide.ts';
import type { HumanRequest } from '../store/records.ts';
import type { ReadSubject } from '../triggers/reading.ts';

export interface Carrying extends Place {
  readonly host: Host;
  /** Known before the turn, such as a settings file that cannot be read. */
  readonly problem: Problem | undefined;
  readonly session: SessionId;
  /** Called when a turn has its place in the session's order: what comes next may be handled (T8). */
  readonly queued: () => void;
  /** How a turn begins; by default with a person's words. */
  readonly opening?: Opening;
}

/** Does what was decided. */
export async function carryOut(intake: Intake, carrying: Carrying): Promise<Handled> {
  const { surface, host } = carrying;
  if (intake.kind === 'ignore') return { status: 'ignored', why: intake.why };
  switch (intake.kind) {
    case 'refuse':
      await surface.refused(intake);
      return { status: 'refused', why: intake.why };
    case 'reply':
      await surface.replied({ ...intake, text: (await pluginAnswer(intake, carrying)) ?? intake.text });
      return { status: 'replied' };
    case 'command':
      return say(await answerCommand(intake, carrying, host.services), intake.reading, carrying);
    case 'plugged':
      return say(await answerPlugged(intake, carrying, host.services), intake.reading, carrying);
    case 'answer':
      return answer(intake, carrying);
    case 'turn': {
      if (isSay(intake) && (await isToldAlready(intake.reading.cause, carrying))) return seen(intake, carrying);
      const why = await whyNoReview(intake, carrying);
      if (why === undefined) return runTurn(intake, carrying);
      return (why === 'superseded' && (await reviewNewest(intake, carrying))) || { status: 'ignored', why };
    }
    case 'steer':
      return steer(intake, carrying);
    case 'note':
      return note(intake, carrying);
    case 'end': {
      const ended = await endSession(intake, carrying, host.services);
      return ended > 0 ? { status: 'replied', why: intake.why } : { status: 'ignored', why: 'nothing-to-end' };
    }
  }
}

/** What a plugin of the running agent alone answers to a command that is none of ours (commands.md, C9). */
async function pluginAnswer(
  { line, reading }: Extract<Intake, { kind: 'reply' }>,
  carrying: Carrying,
): Promise<string | undefined> {
  const { session, host } = carrying;
  const running = line === undefined ? undefined : host.services.live.of(session);
  const isWritten = reading.kind === 'misunderstood';
  if (!running || !isWritten) return undefined;
  const result = await tryPlugged({ kind: 'plugged', line: line!, session, reading }, carrying, host.services);
  return result && (result.text ?? 'Done.');
}

/** Told to the running turn, or kept for the one that waits. What was asked about a branch that moved is asked anew (N7). */
async function note(intake: Extract<Intake, { kind: 'note' }>, carrying: Carrying): Promise<Handled> {
  await noteOnly(intake, carrying);
  const { people } = carrying.host.services;
  const outdated = intake.reading.what === 'push' ? await people?.outdatePlans(intake.session, carrying) : undefined;
  return outdated ? goOn(outdated, carrying) : { status: 'replied', why: 'noted' };
}

async function noteOnly(intake: Extract<Intake, { kind: 'note' }>, carrying: Carrying): Promise<void> {
  const { host, signal } = carrying;
  const { live, atDesk } = host.services;
  if (await isToldAlready(intake.reading.delivery, carrying)) return;
  const meta = { delivery: intake.reading.delivery };
  const context = { content: noteContent(intake), source: { kind: 'plugin', plugin: 'github' }, meta } as const;
  const running = live.of(intake.session);
  const reached = reaches(running, () => running?.inject(context.content, context.source, meta));
  if (running) carrying.queued();
  if (await reached) return;
  await atDesk(intake.session, signal, async ({ ctx, agent }) => {
    noteParked(agent.session, context);
    await ctx.sessions.flush(agent.session);
  });
}

/** A settled request is told at once; the parked turn that it lets go on is waited for like any other. */
async function answer(intake: Extract<Intake, { kind: 'answer' }>, carrying: Carrying): Promise<Handled> {
  const answered = await carrying.host.services.people?.settle(intake, carrying);
  if (answered && !answered.say && intake.how !== 'box') await carrying.surface.counted(intake);
  const told = await say(answered?.say, intake.reading, carrying);
  return answered?.wakes ? goOn(answered.wakes, carrying) : told;
}

/** Goes on with the turn that waited for this request, as the job that it belongs to. */
export async function goOn(request: HumanRequest, carrying: Carrying): Promise<Handled> {
  const { turn } = jobOf(request);
  const opening = { kind: 'answer', request } as const;
  return runTurn(turn, { ...carrying, session: request.session, opening });
}

/** An answer of ours goes where the words stand; a tick is answered by what becomes of the question. */
async function say(result: CommandResult | undefined, reading: ReadSubject, { surface }: Carrying): Promise<Handled> {
  const isWritten = reading.kind === 'command' || reading.kind === 'misunderstood' || reading.kind === 'remark';
  if (result && !result.text && isWritten) await surface.counted({ reading });
  if (result?.text && isWritten) await surface.replied({ kind: 'reply', text: result.text, reading });
  return { status: 'replied' };
}

/** A review that nobody asked for is made once for each head, the newest, and within its author's limit. */
async function whyNoReview({ reading, job }: Extract<Intake, { kind: 'turn' }>, carrying: Carrying) {
  if (reading.kind !== 'pull-request' || job !== 'review') return undefined;
  const { access, signal, session } = carrying;
  const { records, now, log } = carrying.host.services;
  return skipReview(reading, { access, session, spending: records.spending, now, log, signal });
}

async function runTurn(turn: Extract<Intake, { kind: 'turn' }>, carrying: Carrying): Promise<Handled> {
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

/** Asked only where each push of a person starts a review. */
async function isUntoldHead(
  headSha: string,
  { access, config, signal, host }: Pick<Carrying, 'access' | 'config' | 'signal' | 'host'>,
): Promise<boolean> {
  if (config.review.auto !== 'every-push' || signal.aborted) return false;
  return isUntoldPush(access, headSha, config, signal).catch((error: unknown) => {
    host.services.log('the commit of a newer head could not be read', error);
    return false;
  });
}

/** Where no event starts the review of the head that took this one's place, this event does. */
async function reviewNewest(turn: Turn, carrying: Carrying): Promise<Handled | undefined> {
  const { access, config, session, signal, host } = carrying;
  const pull = { ...access.repo, pull_number: turn.reading.subject.number, request: { signal } };
  const { data } = await access.github.rest.pulls.get(pull);
  const isUntold = await isUntoldHead(data.head.sha, carrying);
  const newest = data.state === 'open' ? insteadOf(turn, data.head.sha, config, isUntold) : undefined;
  if (!newest || (await host.causeTaken(session, newest.reading, access))) return undefined;
  return (await whyNoReview(newest, carrying)) === undefined ? runTurn(newest, carrying) : undefined;
}

/** Seen once it is in the log (S1). Where the turn ended meanwhile, it starts one as if it had come a moment later. */
async function steer(intake: Extract<Intake, { kind: 'steer' }>, carrying: Carrying): Promise<Handled> {
  const { session, reading, permission } = intake;
  const { services } = carrying.host;
  const from = messageSource({ kind: 'turn', job: 'ask', request: '', reading, permission });
  const source = from.kind === 'github' ? { ...from, cause: reading.cause } : from;
  const running = services.live.of(session);
  if (await isToldAlready(reading.cause, carrying)) return seen(intake, carrying);
  const reached = reaches(running, () => running?.steer(steerContent(intake), source));
  // It has its place; a stop that comes behind it must not wait for the end of a long step.
  if (running) carrying.queued();
  if (!(await reached))
    return runTurn({ kind: 'turn', job: running?.job ?? 'ask', request: intake.text, permission, reading }, carrying);
  return seen(intake, carrying);
}

async function seen(said: Turn | Extract<Intake, { kind: 'steer' }>, { surface }: Carrying): Promise<Handled> {
  await surface.accepted(said);
  return { status: 'replied', why: 'steered' };
}

function isSay({ reading }: Turn): boolean {
  return reading.kind === 'command' && reading.command.name === 'say';
}

/** By a process that was lost before it could end the delivery. */
async function isToldAlready(by: string, { session, host }: Carrying): Promise<boolean> {
  const { sessions } = host.services;
  return (await sessions.has(session)) && wasTold(by, (await sessions.inspect(session)).events);
}

/** False where no turn runs, or ended meanwhile. */
async function reaches(running: LiveTurn | undefined, say: () => Promise<void> | undefined): Promise<boolean> {
  try {
    await say();
    return running !== undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'NOT_RUNNING') throw error;
    return false;
  }
}
