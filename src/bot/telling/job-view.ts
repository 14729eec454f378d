import type { Session } from '../../harness/session/session.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { jobMarker } from '../../publish/markers.ts';
import { languageOf } from '../../publish/language.ts';
import type { Language } from '../../publish/language.ts';
import { renderProgress } from '../../publish/progress/progress.ts';
import type { Redactor } from '../../publish/redact.ts';
import type { Draw } from '../../publish/progress/surface.ts';
import { spendingOf } from '../../seams/subagent/log-runs.ts';
import { inputUse } from '../../seams/token-meter/cached-input.ts';
import type { SubagentSpending } from '../../seams/subagent/types.ts';
import { describeCall } from './describe-call.ts';
import type { JobOutcome, JobRequest, Problem } from '../job/job.ts';
import type { Job } from '../job/job-kind.ts';
import { promptVersion } from '../context/prompt-version.ts';
import { refusedHosts } from './refused-hosts.ts';
import type { SetupReport } from '../job/setup-report.ts';
import { spentIn } from '../limits/spent.ts';

interface ViewParts {
  readonly redactor: Redactor;
  readonly now: () => Date;
}

type ViewedJob = Pick<JobRequest, 'turn' | 'session'> & Partial<Pick<JobRequest, 'config' | 'transcript'>>;

/** Draws the job from its log, and turns what it came to into an outcome; both hold no secret (P8). */
export class JobView {
  model = 'no model';
  /** Set where the turn was ended from outside the model: a budget, a failed publication. */
  problem: Problem | undefined;
  setup: SetupReport | undefined;
  /** Of child agents at work: what they spend is logged here only when they end. */
  readonly children = new Set<Session>();
  /** Puts what the turn has cost into the books of the day. */
  bookSpending: () => Promise<void> = async () => {};
  readonly #request: ViewedJob;
  readonly #parts: ViewParts;
  readonly #startedAt: number;
  #log: () => readonly SessionEvent[] = () => [];
  #from = 0;

  constructor(request: ViewedJob, parts: ViewParts) {
    this.#request = request;
    this.#parts = parts;
    this.#startedAt = parts.now().getTime();
  }

  /** Of what is told about the job. */
  get language(): Language {
    const { config, turn } = this.#request;
    return languageOf(config?.language, turn.request);
  }

  watch(log: () => readonly SessionEvent[], from: number): void {
    this.#log = log;
    this.#from = from;
  }

  /** The events of this job's turn. */
  events(): readonly SessionEvent[] {
    return this.#log().slice(this.#from);
  }

  childSpending(): SubagentSpending[] {
    return [...this.children].flatMap((child) => spendingOf(child).spent);
  }

  /** Redacted before it is shortened: half a key has no shape to know it by. */
  readonly describeCall = (name: string, rawArguments: string): string =>
    describeCall(name, this.#parts.redactor.redact(rawArguments));

  readonly draw: Draw = (ending) => {
    const { turn, session, transcript } = this.#request;
    const { reading } = turn;
    const url = reading.kind === 'command' ? reading.comment?.url : undefined;
    return renderProgress(this.events(), {
      marker: jobMarker(session, reading.cause),
      request: { by: reading.actor.login, url, what: turn.request },
      startedAt: this.#startedAt,
      now: this.#parts.now().getTime(),
      model: this.model,
      cost: spentIn(this.events(), this.model).cost,
      describeCall: this.describeCall,
      redact: (text) => this.#parts.redactor.redact(text),
      ...{ ending, transcript, language: this.language },
    });
  };

  failed(problem: Problem): JobOutcome {
    return this.#outcome({ status: 'failed', produced: { kind: 'nothing' }, summary: '', verify: [], problem });
  }

  /** Waits for a person; who waits holds nothing. */
  parked(): JobOutcome {
    return this.#outcome({
      status: 'parked',
      produced: { kind: 'nothing' },
      summary: '',
      verify: [],
      problem: undefined,
    });
  }

  /** Ended by a person before there was a turn to end. */
  stopped(): JobOutcome {
    const problem = { code: 'STOPPED', message: 'The turn was stopped.', hint: undefined };
    return this.#outcome({ status: 'stopped', produced: { kind: 'nothing' }, summary: '', verify: [], problem });
  }

  finished(job: Pick<Job, 'result'>, ended: Pick<JobOutcome, 'status' | 'problem'>): JobOutcome {
    const problem = this.problem ?? ended.problem;
    const status = problem?.code === 'BUDGET' || problem?.code === 'GOAL_OPEN' ? 'stopped' : ended.status;
    return this.#outcome({ ...job.result, status, problem });
  }

  #outcome(
    facts: Omit<JobOutcome, 'session' | 'tokens' | 'cost' | 'refused' | 'setupProblem' | 'promptVersion' | 'input'>,
  ): JobOutcome {
    const spent = spentIn(this.events(), this.model);
    const around = {
      refused: refusedHosts(this.events()),
      setupProblem: this.setup?.reason,
      promptVersion: promptVersion(this.events()),
      input: inputUse(this.events()),
    };
    return this.#parts.redactor.redactAll({ ...facts, ...around, session: this.#request.session, ...spent });
  }
}
