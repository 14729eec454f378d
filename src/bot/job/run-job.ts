import type { Agent, AgentLlmTarget, HookContext } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { SessionEvent, SessionId } from '../../harness/session/types.ts';
import type { Config } from '../../config/config.ts';
import { openCheckout, removeCheckout } from '../../github/git/checkout.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import { keepCheckout, takeOverCheckout } from '../../github/git/keep-checkout.ts';
import { fetchLfs } from '../../github/git/fetch-lfs.ts';
import type { MirrorSettings } from '../../github/git/mirror.ts';
import { fetchSubmodules } from '../../github/git/submodules.ts';
import type { Progress } from '../../publish/progress/surface.ts';
import type { Redactor } from '../../publish/redact.ts';
import type { Records } from '../../store/records.ts';
import { checkoutFacts } from '../context/checkout-facts.ts';
import { createJob } from './create-job.ts';
import { describeEnding } from '../telling/describe-ending.ts';
import { handedBack, handsBack, isHandedBack } from './handed-back.ts';
import { watchHandOver } from './hand-over.ts';
import type { JobOutcome, JobRequest } from './job.ts';
import type { Job, JobResult } from './job-kind.ts';
import { JobView } from '../telling/job-view.ts';
import { restoreWork, takeUpWork, withKeptWork } from '../fix/kept-work.ts';
import { LiveJob } from './live-job.ts';
import type { LiveTurns } from './live-turns.ts';
import { ensurePosted } from '../people/draw-request.ts';
import { goOn } from '../people/go-on.ts';
import { lookAtRequest } from '../people/look-at-request.ts';
import { peopleOfTurn, peopleParts } from '../people/people-of-turn.ts';
import { jobOf } from '../people/request-job.ts';
import { replayReports } from '../people/replay-reports.ts';
import { askedTarget, restoreAskedTree } from '../people/restore-asked-tree.ts';
import { standOfJob } from '../people/stand-of-job.ts';
import type { JobStanding } from '../people/stand-of-job.ts';
import { tellWithdrawn } from '../people/tell-withdrawn.ts';
import { withdrawRequests } from '../people/withdraw-requests.ts';
import { problemOf } from '../telling/problem.ts';
import { approvalPolicyOf, lookUpProfile, networkOf } from '../limits/profile.ts';
import type { Profile } from '../limits/profile.ts';
import { quotedSessions } from '../context/quoted-sessions.ts';
import { readSubject } from '../context/read-subject.ts';
import type { Subject } from '../context/read-subject.ts';
import { HOST, placeContexts, requestContent } from '../context/request-prompt.ts';
import { resumeContent } from '../context/resume-content.ts';
import type { TreeFate } from '../context/resume-content.ts';
import { reviewThreadContexts } from '../review/review-thread.ts';
import type { Room, RoomOptions } from './room.ts';
import { requestTitle } from '../context/request-title.ts';
import { setUpAgent } from './set-up-agent.ts';
import { setUpChild } from './set-up-child.ts';
import { setupContexts } from './setup-report.ts';
import type { SetupReport, SetupRequest } from './setup-report.ts';
import { snapshotBeside } from '../fix/snapshot-beside.ts';
import { takeUp } from './take-up.ts';
import { turnOutcome } from './turn-outcome.ts';
import { messageSource, resumeTrigger, turnTrigger } from '../session/turn-trigger.ts';

type Working = Exclude<JobStanding, { kind: 'tell' | 'waits' }>;

/** What a job needs of the composition root. */
export interface JobParts {
  readonly dataDir: string;
  readonly redactor: Redactor;
  readonly now: () => Date;
  readonly log: (message: string, error?: unknown) => void;
  /** Throws `MODEL_NOT_CONFIGURED`. */
  targetOf(config: Config): AgentLlmTarget;
  /** Engine and image, before anything is spent. Throws `SANDBOX_UNAVAILABLE`. */
  checkSandbox(config: Config): Promise<void>;
  /** Puts dependencies into the tree. Its failures are told in the report; it throws only when aborted. */
  setUpTree(request: SetupRequest): Promise<SetupReport | undefined>;
  openRoom(options: RoomOptions): Promise<Room>;
  /** The stored log of a session; empty where there is none. */
  logOf(session: SessionId): Promise<readonly SessionEvent[]>;
  /** Removes the containers that a lost worker left to a session which this process holds now. */
  endSandboxesOf(session: SessionId): Promise<void>;
  /** Aborted when the process is about to end: a turn stops after its running step, and is left to another one (H3). */
  readonly winding?: AbortSignal;
  /** What is kept beside the session logs. */
  readonly records: Records;
  /** Where people find the turn while it runs. */
  readonly live: LiveTurns;
  /** Set where none of it outlives this run: what a turn leaves unpublished is then given with its result (U8). */
  readonly forgetful?: boolean | undefined;
  /** A git directory on this machine whose objects need no fetching, such as a runner's (C1). */
  readonly borrowFrom?: string | undefined;
}

/** One job from its first sign to its result; it always ends in an outcome that was told. */
export async function runJob(given: JobRequest, parts: JobParts): Promise<JobOutcome> {
  if (!given.opening) await answerFirst(given, parts);
  const live = new LiveJob(given);
  const settled = new Set<string>();
  live.onSettled((id) => settled.add(id));
  const leave = parts.live.add(live);
  let outcome: JobOutcome;
  try {
    outcome = await runLive({ ...given, signal: AbortSignal.any([given.signal, live.stopped]) }, parts, live);
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
  const taken = takeUp(log, { cause: turn.reading.cause, opening: request.opening });
  const take = await standOfJob(taken, log, request, parts.records.requests);
  view.watch(() => log, take.from);
  await surface.accepted(turn);
  const told = await surface.openProgress(turn, { session, cause: turn.reading.cause }, view.draw);
  const progress = live.follow(told);
  const working = begin();
  const outcome = await working.catch((error: unknown) => {
    if (isHandedBack(error) || handsBack(signal)) {
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
  return outcome;

  async function begin(): Promise<JobOutcome> {
    if (take.kind === 'tell') return tellAgain(request, parts, view);
    if (take.kind === 'waits') {
      const asked = await parts.records.requests.get(take.request);
      if (asked) await ensurePosted(asked, request.access, peopleParts(parts));
      return view.parked();
    }
    if (take.kind !== 'answer') await withdrawLeft(request, parts);
    return work(request, parts, view, progress, live, take);
  }
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

async function work(
  request: JobRequest,
  parts: JobParts,
  view: JobView,
  progress: Progress,
  live: LiveJob,
  take: Working,
): Promise<JobOutcome> {
  const { access, config, turn, session, signal } = request;
  if (request.problem) return view.failed(request.problem);
  const target = parts.targetOf(config);
  view.model = `${target.provider}/${target.model}`;
  await parts.checkSandbox(config);

  const subject = request.local?.subject ?? (await readSubject(access, turn.reading.subject, signal));
  const job = createJob(request, parts.redactor, parts.log);
  let isLeft = false;
  const place = { session, settings: mirrorSettings(request, parts), signal };
  try {
    const isCutOff = cutOffTurn(take, job) !== undefined;
    if (isCutOff || take.kind === 'answer') await parts.endSandboxesOf(session);
    const taken = isCutOff ? await takeOverCheckout(subject.repository, place) : undefined;
    const wanted = await job.target(subject, taken);
    const start = take.kind === 'answer' ? askedTarget(wanted, take.request) : wanted;
    const checkout = taken ?? (await openCheckout({ repository: subject.repository, target: start, ...place }));
    const lfs = taken || !config.checkout.lfs ? NO_LFS : await fetchLfs(checkout, { signal });
    const submodules = taken ? [] : await fetchSubmodules(checkout, [...config.checkout.submodules], signal);
    const profile = await lookUpProfile(request, subject);
    const { snapshots } = parts.records;
    const lostTree =
      take.kind === 'answer' ? await restoreAskedTree(take.request, checkout, snapshots, signal) : undefined;
    const kept =
      taken || take.kind === 'answer'
        ? []
        : isCutOff
          ? await restoreWork({ session, checkout, config, snapshots, signal })
          : await takeUpWork(request, parts, job, checkout);
    const setup = taken
      ? undefined
      : await parts.setUpTree({
          ...{ session, checkout, config, profile, signal },
          baseBranch: subject.pull?.baseRef ?? config.pull.base ?? subject.repository.defaultBranch,
          onCommand: (command) => progress.changed(`setup: ${command}`),
        });
    view.setup = setup;
    await keepCheckout(checkout, { dataDir: parts.dataDir, session });
    const tree = taken ? 'as-it-stood' : kept.length > 0 ? 'from-snapshot' : 'afresh';
    const contexts = [
      ...(await job.contexts(subject, checkout)),
      ...checkoutFacts(checkout, submodules, lfs),
      ...setupContexts(setup),
      ...kept,
      ...reviewThreadContexts(turn.reading, subject.thread),
      ...placeContexts(turn.reading),
      ...(await quotedSessions(request, parts, profile)),
    ];
    return await runTurn({
      ...{ request, parts, view, progress, live, job, subject, checkout, profile, target, setup, contexts, take, tree },
      ...{ lostTree },
    });
  } catch (error) {
    isLeft = isHandedBack(error) || handsBack(signal);
    throw error;
  } finally {
    // What is handed back is gone on with by somebody else, on this very tree.
    if (!isLeft) await tidied(removeCheckout(parts.dataDir, session), parts);
  }
}

const NO_LFS = { fetched: [], missing: [] };

function mirrorSettings({ access, config }: JobRequest, { dataDir, borrowFrom }: JobParts): MirrorSettings {
  return { dataDir, tokens: access.token, fullBelowMb: config.checkout.fullBelowMb, ...(borrowFrom && { borrowFrom }) };
}

interface TurnParts {
  readonly request: JobRequest;
  readonly parts: JobParts;
  readonly view: JobView;
  readonly progress: Progress;
  readonly live: LiveJob;
  readonly job: Job;
  readonly subject: Subject;
  readonly checkout: Checkout;
  readonly profile: Profile;
  readonly setup: SetupReport | undefined;
  readonly target: AgentLlmTarget;
  readonly contexts: HookContext[];
  readonly take: Working;
  readonly tree: TreeFate;
  /** Why the tree is not the one that a person's answer is for. */
  readonly lostTree: string | undefined;
}

async function runTurn(turnParts: TurnParts): Promise<JobOutcome> {
  const { request, parts, view, live, job, checkout, target, take } = turnParts;
  const { turn, session, config, signal } = request;
  const people = peopleOfTurn(turnParts);
  const setUp = (agentCtx: Context, root: Context) => {
    setUpAgent({ agentCtx, root, ...turnParts });
    people.mount(agentCtx, root);
  };
  const { profile } = turnParts;
  const network = networkOf(profile, config);
  const room = await parts.openRoom({
    session,
    kind: turn.job,
    mode: job.mode,
    profile,
    network,
    approvalPolicy: policyOf(request, profile),
    checkout,
    target,
    config,
    signal,
    setUp,
    title: requestTitle(turn, turnParts.subject),
    setUpChild: (childCtx, root) => setUpChild({ childCtx, root, ...turnParts }),
  });
  const { agent } = room.handle;
  people.attach(room.handle);
  const handOver = watchHandOver(room, { signal, winding: parts.winding });
  const { snapshots } = parts.records;
  const endSnapshots =
    job.mode === 'workspace-write'
      ? snapshotBeside(room.ctx, agent, { session, checkout, config, snapshots, signal })
      : async () => {};
  try {
    view.watch(() => agent.session.events, take.from);
    job.begin?.(room.ctx, agent);
    live.attach(agent);
    if (handsBack(signal) || parts.winding?.aborted) throw handedBack(session);
    if (take.kind === 'answer') {
      await replayReports(job, agent, view.events());
      goOn(room.handle, turn, take.request, { policy: policyOf(request, profile), lostTree: turnParts.lostTree });
    } else open(agent, take, turnParts);
    if (signal.aborted) agent.cancel({ kind: 'user' });
    await agent.whenIdle();
    await room.ctx.get('goalDriver')?.whenQuiet(agent);
    await endSnapshots();
    await tidied(view.bookSpending(), parts);
    await room.ctx.sessions.flush(agent.session).catch((error: unknown) => {
      throw handedBack(session, error);
    });
    if (handOver.isDone || takeUp(view.events(), { cause: turn.reading.cause, opening: undefined }).kind === 'resume')
      throw handedBack(session);
    if (!live.stopped.aborted) view.problem ??= job.leftOver?.(room.ctx, agent);
    const interrupted = { aborted: signal.aborted && !live.stopped.aborted };
    return await withKeptWork(view.finished(job, turnOutcome(view.events(), interrupted)), turnParts);
  } finally {
    handOver.stop();
    await endSnapshots();
    await tidied(room.close(), parts);
  }
}

/** Without GitHub and without a terminal there is nobody to ask. */
function policyOf({ local, asking }: JobRequest, profile: Profile): 'ask' | 'never' {
  return local && !asking?.terminal ? 'never' : approvalPolicyOf(profile);
}

/** Puts what is asked to the agent: in full where the model never saw it, or reports into a memory that is gone. */
function open(
  agent: Agent,
  take: Exclude<Working, { kind: 'answer' }>,
  { request: { turn }, job, contexts, tree }: TurnParts,
): void {
  const cutOff = cutOffTurn(take, job);
  const note = cutOff === undefined ? [] : resumeContent(agent.session.events, cutOff, tree);
  if (take.kind === 'begin')
    return agent.send([...note, ...requestContent(turn.request)], {
      ...{ source: messageSource(turn), trigger: turnTrigger(turn), contexts },
    });
  const trigger = resumeTrigger(turn, take.turn);
  if (take.wasAsked && job.mode === 'workspace-write') return agent.send(note, { source: HOST, trigger });
  const content = [...note, ...requestContent(turn.request)];
  agent.send(take.wasAsked ? content : requestContent(turn.request), {
    source: messageSource(turn),
    trigger,
    contexts,
  });
}

/** The turn that this one goes on from: of the same job, or an earlier one that changed the tree and was never ended. */
function cutOffTurn(take: Working, job: Pick<Job, 'mode'>): number | undefined {
  if (take.kind === 'resume') return take.turn;
  return take.kind === 'begin' && job.mode === 'workspace-write' ? take.cutOff : undefined;
}

/** What cannot be tidied away is for the operator: it takes nothing from what the job came to. */
async function tidied(work: Promise<void>, { log }: JobParts): Promise<void> {
  await work.catch((error: unknown) => log('something was left behind', error));
}
