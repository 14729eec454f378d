import type { Context } from '../harness/kernel/context.ts';
import type { AgentHandle, AgentLlmTarget, HookContext } from '../harness/agent/types.ts';
import type { SessionEvent, SessionId } from '../harness/session/types.ts';
import type { Config } from '../config/config.ts';
import { openCheckout, removeCheckout } from '../github/git/checkout.ts';
import type { Checkout } from '../github/git/checkout.ts';
import type { Draw, Progress } from '../publish/surface.ts';
import { jobMarker } from '../publish/markers.ts';
import { renderProgress } from '../publish/progress.ts';
import type { Redactor } from '../publish/redact.ts';
import type { JobKind } from '../triggers/decide.ts';
import { createJob } from './create-job.ts';
import { describeCall } from './describe-call.ts';
import { describeEnding } from './describe-ending.ts';
import { spentIn } from './spent.ts';
import type { JobOutcome, JobRequest, Problem } from './job.ts';
import type { Job } from './job-kind.ts';
import { problemOf } from './problem.ts';
import { readSubject } from './read-subject.ts';
import type { Subject } from './read-subject.ts';
import { requestContent } from './request-prompt.ts';
import { setUpAgent } from './set-up-agent.ts';
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
  openRoom(options: RoomOptions): Promise<Room>;
}

/** A session's own kernel with its services, its sandbox starting, and its agent created or resumed. */
export interface RoomOptions {
  readonly session: SessionId;
  readonly kind: JobKind;
  readonly mode: Job['mode'];
  readonly checkout: Checkout;
  readonly target: AgentLlmTarget;
  readonly config: Config;
  readonly signal: AbortSignal;
  readonly setUp: (agentCtx: Context, root: Context) => void;
}
export interface Room {
  readonly ctx: Context;
  readonly handle: AgentHandle;
  /** Stops the agent, flushes the log, removes the container. */
  close(): Promise<void>;
}

/** One job from its first sign to its result; it always ends in an outcome that was told. */
export async function runJob(request: JobRequest, parts: JobParts): Promise<JobOutcome> {
  const view = new JobView(request, parts);
  await request.surface.accepted(request.turn);
  const progress = await request.surface.openProgress(
    request.turn,
    { session: request.session, cause: request.turn.reading.cause },
    view.draw,
  );
  const outcome = await work(request, parts, view, progress).catch((error: unknown) => {
    parts.log(`job of ${request.session} failed`, error);
    return view.failed(problemOf(error));
  });
  await progress.end(describeEnding(outcome));
  return outcome;
}

async function work(request: JobRequest, parts: JobParts, view: JobView, progress: Progress): Promise<JobOutcome> {
  const { access, config, turn, session, signal } = request;
  if (request.problem) return view.failed(request.problem);
  const target = parts.targetOf(config);
  view.model = `${target.provider}/${target.model}`;
  await parts.checkSandbox(config);

  const subject = await readSubject(access.github, access.repo, turn.reading.subject, signal);
  const job = createJob(request, parts.redactor);
  const checkout = await openCheckout({
    repository: subject.repository,
    target: await job.target(subject),
    session,
    settings: { dataDir: parts.dataDir, tokens: access.token },
    signal,
  });
  try {
    const contexts = await job.contexts(subject, checkout);
    return await runTurn({ request, parts, view, progress, job, subject, checkout, target, contexts });
  } finally {
    await removeCheckout(parts.dataDir, session);
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
  readonly target: AgentLlmTarget;
  readonly contexts: HookContext[];
}

async function runTurn(turnParts: TurnParts): Promise<JobOutcome> {
  const { request, parts, view, progress, job, subject, checkout, target, contexts } = turnParts;
  const { turn, session, config, signal } = request;
  const setUp = (agentCtx: Context, root: Context) =>
    setUpAgent({ agentCtx, root, request, job, subject, checkout, target, progress, view });
  const room = await parts.openRoom({ session, kind: turn.job, mode: job.mode, checkout, target, config, signal, setUp });
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
    await room.close();
  }
}

/** Draws the job from its log, and turns what it came to into an outcome. */
export class JobView {
  model = 'no model';
  /** Set where the turn was ended from outside the model: a budget, a failed publication. */
  problem: Problem | undefined;
  readonly #request: JobRequest;
  readonly #parts: JobParts;
  readonly #startedAt: number;
  #log: () => readonly SessionEvent[] = () => [];
  #from = 0;

  constructor(request: JobRequest, parts: JobParts) {
    this.#request = request;
    this.#parts = parts;
    this.#startedAt = parts.now().getTime();
  }

  watch(log: () => readonly SessionEvent[], from: number): void {
    this.#log = log;
    this.#from = from;
  }

  /** The events of this job's turn. */
  events(): readonly SessionEvent[] {
    return this.#log().slice(this.#from);
  }

  readonly draw: Draw = (ending) => {
    const { turn, session } = this.#request;
    const { reading } = turn;
    return renderProgress(this.events(), {
      marker: jobMarker(session, reading.cause),
      request: { by: reading.actor.login, url: reading.kind === 'command' ? reading.comment?.url : undefined, what: turn.request },
      startedAt: this.#startedAt,
      now: this.#parts.now().getTime(),
      model: this.model,
      cost: spentIn(this.events(), this.model).cost,
      describeCall,
      ending,
    });
  };

  failed(problem: Problem): JobOutcome {
    return { status: 'failed', session: this.#request.session, produced: { kind: 'nothing' }, summary: '', verify: [], problem, ...spentIn(this.events(), this.model) };
  }

  finished(job: Job, ended: { status: JobOutcome['status']; problem: Problem | undefined }): JobOutcome {
    const problem = this.problem ?? ended.problem;
    const status = this.problem && ended.status === 'completed' ? 'stopped' : ended.status;
    return { ...ended, status, session: this.#request.session, ...job.result, problem, ...spentIn(this.events(), this.model) };
  }
}
