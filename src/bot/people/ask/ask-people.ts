import type { Agent, AgentHandle } from '../../../harness/agent/types.ts';
import type { CallId } from '../../../harness/llm/types.ts';
import type { JsonValue } from '../../../harness/session/types.ts';
import { takeSnapshot } from '../../../github/tree/snapshot.ts';
import type { Checkout } from '../../../github/git/checkout.ts';
import { languageOf } from '../../../publish/language.ts';
import { answerText } from '../../../seams/user-interaction/ask-user-question-tool.ts';
import type { Records, HumanRequest } from '../../../store/records.ts';
import type { JobRequest } from '../../job/job.ts';
import type { LiveJob } from '../../job/live-job.ts';
import { postRequest, redrawRequest } from './draw-request.ts';
import type { PeopleParts } from '../people-parts.ts';
import type { ApprovalData, QuestionData } from '../request-data.ts';
import { storedJob } from './request-job.ts';
import { settleRequest } from '../answer/settle-request.ts';
import { toldAnswer } from '../answer/told-answer.ts';
import { POLLING, waitForAnswer } from './wait-for-answer.ts';
import '../../session/session-events.ts';

type Common = 'language' | 'headSha' | 'snapshot';

/** One thing to ask; `exact` is what the answer will be good for. */
export interface Asking {
  readonly id: string;
  readonly tool: string;
  readonly digest: string;
  readonly callId: CallId | undefined;
  readonly data: Omit<ApprovalData, Common> | Omit<QuestionData, Common>;
  readonly signal: AbortSignal;
}

export interface AskPeopleOptions {
  readonly request: JobRequest;
  readonly records: Pick<Records, 'snapshots'>;
  readonly parts: PeopleParts;
  readonly live: Pick<LiveJob, 'onSettled'>;
  readonly checkout: Checkout;
  /** Whether the job changes the tree, so that its changes are kept with the question. */
  readonly changesTree: boolean;
  /** Nothing outlives this run, so nothing can be parked. */
  readonly forgetful: boolean;
  /** Aborted when the process is about to end: then a turn that waits is parked at once (H3). */
  readonly winding?: AbortSignal | undefined;
  readonly polling?: { readonly firstMs: number; readonly longestMs: number };
  /** Somebody is waited for, or no longer. */
  readonly onChange: () => void;
}

/**
 * The way from a question of one turn to a person and back, by a comment. Everything needed to go on in another process is
 * stored before the comment exists; a wait that takes long parks the turn (K1).
 */
export class AskPeople {
  /** The one who may park; set once the agent is there. */
  handle: AgentHandle | undefined;
  readonly #options: AskPeopleOptions;
  readonly #listeners = new Set<() => void>();

  constructor(options: AskPeopleOptions) {
    this.#options = options;
    options.live.onSettled(() => {
      for (const listener of this.#listeners) listener();
    });
  }

  /**
   * Resolves with the settled request; undefined where nobody could be asked. While it waits the turn may be parked: then
   * it rejects with what the signal was aborted with.
   */
  async ask(agent: Agent, asking: Asking): Promise<HumanRequest | undefined> {
    if (this.#options.request.access.dryRun) return undefined;
    const request = await this.#record(agent, asking);
    if (!request) return undefined;
    const stopLogging = logWithdrawal(agent, request, asking.signal, this.#options.parts.now);
    try {
      const settled = await this.#wait(await this.#post(request, asking.signal), asking);
      this.#logAnswer(agent, settled);
      return settled;
    } catch (error) {
      if (!asking.signal.aborted) this.#options.parts.log(`${request.id} could not be asked`, error);
      await this.#lost(request, asking.signal);
      throw error;
    } finally {
      stopLogging();
      this.#options.onChange();
    }
  }

  /** The tree is kept, the log says that it waits, the record is there: only then may anybody see the question. */
  async #record(agent: Agent, asking: Asking): Promise<HumanRequest | undefined> {
    const { parts, request: job } = this.#options;
    const kept = await this.#keepTree(asking.signal).catch((error: unknown) => {
      asking.signal.throwIfAborted();
      parts.log(`the tree of ${agent.id} could not be kept for a question`, error);
      return undefined;
    });
    if (kept === undefined) return undefined;
    const { id, tool, digest, callId } = asking;
    const turn = agent.session.openTurn ?? agent.session.lastTurn;
    const { actor, repo } = job.turn.reading;
    const askedAt = parts.now().getTime();
    const request: HumanRequest = {
      ...{ id, tool, digest, callId, turn, askedAt, kind: asking.data.kind },
      ...{ session: agent.id, repo: repo.id, job: storedJob(job) },
      data: JSON.parse(JSON.stringify({ ...asking.data, ...this.#facts(kept.digest) })) as JsonValue,
      askedOf: { id: actor.id, login: actor.login },
      expiresAt: askedAt + job.config.approval.timeoutMs,
      ...{ commentId: undefined, state: 'pending', answer: undefined },
    };
    if (kept.snapshot) agent.session.append('workspace/snapshot', { turn, ...kept.snapshot });
    const waits = { turn, request: id, kind: request.kind, ...(callId !== undefined && { callId }) };
    agent.session.append('human/asked', waits);
    await agent.ctx.sessions.flush(agent.session);
    await parts.requests.add(request);
    this.#options.onChange();
    return request;
  }

  #facts(snapshot: string | null) {
    const { request, checkout } = this.#options;
    const language = languageOf(request.config.language, request.turn.request);
    return { language, headSha: checkout.headSha, snapshot };
  }

  async #keepTree(signal: AbortSignal) {
    const { changesTree, checkout, forgetful, request, records } = this.#options;
    if (!changesTree || forgetful) return { digest: null, snapshot: undefined };
    const snapshot = await takeSnapshot(checkout, { maxBytes: request.config.park.maxSnapshotBytes, signal });
    if (!snapshot) {
      await records.snapshots.drop(request.session);
      return { digest: null, snapshot: undefined };
    }
    const { digest, base, bytes } = snapshot;
    await records.snapshots.put(request.session, snapshot);
    return { digest, snapshot: { digest, base, bytes: bytes.byteLength } };
  }

  async #post(request: HumanRequest, signal: AbortSignal): Promise<HumanRequest> {
    const { parts, request: job } = this.#options;
    const commentId = await postRequest(request, job.access, parts, signal);
    await parts.requests.commented(request.id, commentId);
    return { ...request, commentId };
  }

  async #wait(request: HumanRequest, asking: Asking): Promise<HumanRequest> {
    const { parts, request: job, polling = POLLING } = this.#options;
    const parking = this.#parkLater(request, asking);
    try {
      return await waitForAnswer(request, {
        ...{ place: job.access, rules: job.config, parts, polling, signal: asking.signal },
        onNews: (listener) => {
          this.#listeners.add(listener);
          return () => void this.#listeners.delete(listener);
        },
      });
    } finally {
      parking.stop();
    }
  }

  /** Parks when the patience is over, or the process winds up; where that is not possible the answer is "nobody". */
  #parkLater(request: HumanRequest, { callId }: Asking): { stop(): void } {
    const { winding, request: job, forgetful } = this.#options;
    const { id, kind } = request;
    const park = () => {
      if (forgetful) return void this.#giveUp(request);
      const waits = { waitingFor: { kind, id }, ...(callId !== undefined && { callId }) };
      void this.handle?.park(waits);
    };
    const timer = setTimeout(park, job.asking?.parkAfterMs ?? job.config.park.afterMs);
    winding?.addEventListener('abort', park, { once: true });
    if (winding?.aborted) park();
    return {
      stop: () => {
        clearTimeout(timer);
        winding?.removeEventListener('abort', park);
      },
    };
  }

  async #giveUp(request: HumanRequest): Promise<void> {
    const { parts, request: job } = this.#options;
    const at = parts.now().getTime();
    const answer = { actor: undefined, how: 'timeout', value: undefined, url: undefined, at } as const;
    const settled = await settleRequest(request, 'unavailable', answer, parts);
    if (settled) await redrawRequest((await parts.requests.get(request.id)) ?? settled, job.access, parts);
  }

  /** A parked turn leaves its question open; any other way of losing the wait closes it. */
  async #lost(request: HumanRequest, signal: AbortSignal): Promise<void> {
    const { parts, request: job } = this.#options;
    if (signal.aborted && leavesOpen(signal)) return;
    const at = parts.now().getTime();
    const answer = { actor: undefined, how: 'withdrawn', value: 'stopped', url: undefined, at } as const;
    const settled = await settleRequest(request, 'cancelled', answer, parts);
    if (settled) await redrawRequest((await parts.requests.get(request.id)) ?? settled, job.access, parts);
  }

  #logAnswer(agent: Agent, request: HumanRequest): void {
    agent.session.append('human/answer', answerEvent(request, agent.session.openTurn ?? agent.session.lastTurn));
  }
}

/** Says in the log, before the turn goes on to its end, that nobody is waited for any longer (A7). Returns its undo. */
function logWithdrawal(
  { session }: Agent,
  { id, turn }: HumanRequest,
  signal: AbortSignal,
  now: () => Date,
): () => void {
  const log = () => {
    if (leavesOpen(signal) || session.openTurn !== turn) return;
    session.append('human/answer', { turn, request: id, how: 'withdrawn', value: 'stopped', at: now().getTime() });
  };
  if (signal.aborted) log();
  signal.addEventListener('abort', log, { once: true });
  return () => signal.removeEventListener('abort', log);
}

/** Whoever takes the session up next goes on with the question. */
function leavesOpen({ reason }: AbortSignal): boolean {
  const kind = (reason as { kind?: unknown } | undefined)?.kind;
  return kind === 'parked' || kind === 'disposed';
}

/** What the log keeps of who settled a request (A7). */
export function answerEvent(request: HumanRequest, turn: number) {
  const { id, answer, state } = request;
  const { actor, standing, how, url, at } = answer!;
  // What a lost result is made of again (session.md B6), so it holds what the model is told.
  const value = state === 'answered' ? (JSON.parse(answerText(toldAnswer(request))) as JsonValue) : answer!.value;
  return {
    ...{ turn, request: id, how, at },
    ...(actor && { actor: { ...actor } }),
    ...(standing && { standing: { ...standing } }),
    ...(value !== undefined && { value }),
    ...(url !== undefined && { url }),
  };
}
