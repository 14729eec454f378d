import type { AgentLlmTarget, HookContext } from '../harness/agent/types.ts';
import type { Context } from '../harness/kernel/context.ts';
import type { Config } from '../config/config.ts';
import { openCheckout, removeCheckout } from '../github/git/checkout.ts';
import type { Checkout } from '../github/git/checkout.ts';
import type { Progress } from '../publish/surface.ts';
import type { Redactor } from '../publish/redact.ts';
import { createJob } from './create-job.ts';
import { describeEnding } from './describe-ending.ts';
import type { JobOutcome, JobRequest } from './job.ts';
import type { Job } from './job-kind.ts';
import { JobView } from './job-view.ts';
import { problemOf } from './problem.ts';
import { lookUpProfile, networkOf } from './profile.ts';
import type { Profile } from './profile.ts';
import { readSubject } from './read-subject.ts';
import type { Subject } from './read-subject.ts';
import { placeContexts, requestContent } from './request-prompt.ts';
import type { Room, RoomOptions } from './room.ts';
import { setUpAgent } from './set-up-agent.ts';
import { setupContexts } from './setup-report.ts';
import type { SetupReport, SetupRequest } from './setup-report.ts';
import { turnOutcome } from './turn-outcome.ts';
import { messageSource, turnTrigger } from './turn-trigger.ts';

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
}

/** One job from its first sign to its result; it always ends in an outcome that was told. */
export async function runJob(request: JobRequest, parts: JobParts): Promise<JobOutcome> {
  const { surface, turn, session } = request;
  const view = new JobView(request, parts);
  await surface.accepted(turn);
  const progress = await surface.openProgress(turn, { session, cause: turn.reading.cause }, view.draw);
  const outcome = await work(request, parts, view, progress).catch((error: unknown) => {
    parts.log(`job of ${session} failed`, error);
    return view.failed(problemOf(error));
  });
  await progress.end(describeEnding(outcome)).catch((error: unknown) => {
    parts.log(`the result of ${session} could not be told`, error);
  });
  return outcome;
}

async function work(request: JobRequest, parts: JobParts, view: JobView, progress: Progress): Promise<JobOutcome> {
  const { access, config, turn, session, signal } = request;
  if (request.problem) return view.failed(request.problem);
  const target = parts.targetOf(config);
  view.model = `${target.provider}/${target.model}`;
  await parts.checkSandbox(config);

  const subject = await readSubject(access, turn.reading.subject, signal);
  const job = createJob(request, parts.redactor);
  try {
    const checkout = await openCheckout({
      repository: subject.repository,
      target: await job.target(subject),
      session,
      settings: { dataDir: parts.dataDir, tokens: access.token },
      signal,
    });
    const profile = await lookUpProfile(request, subject);
    const setup = await parts.setUpTree({
      ...{ session, checkout, config, profile, signal },
      baseBranch: subject.pull?.baseRef ?? config.pull.base ?? subject.repository.defaultBranch,
      onCommand: (command) => progress.changed(`setup: ${command}`),
    });
    view.setup = setup;
    const contexts = [
      ...(await job.contexts(subject, checkout)),
      ...setupContexts(setup),
      ...placeContexts(turn.reading),
    ];
    return await runTurn({ request, parts, view, progress, job, subject, checkout, profile, target, setup, contexts });
  } finally {
    await tidied(removeCheckout(parts.dataDir, session), parts);
  }
}

interface TurnParts {
  readonly request: JobRequest;
  readonly parts: JobParts;
  readonly view: JobView;
  readonly progress: Progress;
  readonly job: Job;
  readonly subject: Subject;
  readonly checkout: Checkout;
  readonly profile: Profile;
  readonly setup: SetupReport | undefined;
  readonly target: AgentLlmTarget;
  readonly contexts: HookContext[];
}

async function runTurn(turnParts: TurnParts): Promise<JobOutcome> {
  const { request, parts, view, job, checkout, target, contexts } = turnParts;
  const { turn, session, config, signal } = request;
  const setUp = (agentCtx: Context, root: Context) => setUpAgent({ agentCtx, root, ...turnParts });
  const { profile } = turnParts;
  const network = networkOf(profile, config);
  const room = await parts.openRoom({
    session,
    kind: turn.job,
    mode: job.mode,
    profile,
    network,
    checkout,
    target,
    config,
    signal,
    setUp,
  });
  const { agent } = room.handle;
  const stop = () => agent.cancel({ kind: 'user' });
  signal.addEventListener('abort', stop, { once: true });
  try {
    view.watch(() => agent.session.events, agent.session.seq);
    agent.send(requestContent(turn.request), { source: messageSource(turn), trigger: turnTrigger(turn), contexts });
    if (signal.aborted) stop();
    await agent.whenIdle();
    return view.finished(job, turnOutcome(view.events(), signal));
  } finally {
    signal.removeEventListener('abort', stop);
    await tidied(room.close(), parts);
  }
}

/** What cannot be tidied away is for the operator: it takes nothing from what the job came to. */
async function tidied(work: Promise<void>, { log }: JobParts): Promise<void> {
  await work.catch((error: unknown) => log('something was left behind', error));
}
