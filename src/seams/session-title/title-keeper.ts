import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../harness/kernel/context.ts';
import type { Session } from '../../harness/session/session.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { checkTitleResult } from './check-result.ts';
import { collectSessionTitleMessages } from './collect-messages.ts';
import { fallbackSessionTitle } from './fallback-title.ts';
import { foldSessionTitle } from './fold-title.ts';
import { SessionTitleError } from './session-title-error.ts';
import { TitleWriter } from './title-writer.ts';
import type {
  SessionTitleConfig,
  SessionTitleEventData,
  SessionTitleModelProvenance,
  SessionTitleProvider,
  SessionTitleSnapshot,
  SessionTitleUserMessage,
} from './types.ts';

interface Registration {
  readonly provider: SessionTitleProvider;
  readonly controller: AbortController;
  readonly work: Set<Promise<unknown>>;
}
interface Revision {
  readonly controller: AbortController;
}

/** Who may title a session, and what is under way for it. Of one session only the newest work counts. */
export class TitleKeeper {
  readonly writer: TitleWriter;
  readonly #ctx: Context;
  readonly #config: SessionTitleConfig;
  readonly #revisions = new Map<Session, Revision>();
  readonly #fallbacks = new Map<Session, Promise<SessionTitleSnapshot | undefined>>();
  /** Named by a person, also while that is still to be written. */
  readonly #pinned = new WeakSet<Session>();
  readonly #tracked = new Set<Promise<unknown>>();
  #registration: Registration | undefined;
  #isLeaving = false;
  #isClosed = false;

  constructor(ctx: Context, config: SessionTitleConfig) {
    this.#ctx = ctx;
    this.#config = config;
    this.writer = new TitleWriter(ctx.sessions);
  }

  get provider(): SessionTitleProvider | undefined {
    return this.#registration?.provider;
  }

  register(provider: SessionTitleProvider): () => Promise<void> {
    checkProvider(provider);
    if (this.#registration || this.#isLeaving) {
      throw new SessionTitleError('there is a title provider already', 'SESSION_TITLE_PROVIDER_EXISTS');
    }
    const registration: Registration = { provider, controller: new AbortController(), work: new Set() };
    this.#registration = registration;
    let leaving: Promise<void> | undefined;
    return () => (leaving ??= this.#unregister(registration));
  }

  /** In the background: nobody waits for it, and its failure is only told. */
  scheduleFallback(session: Session): void {
    this.#inBackground(async () => {
      if (!this.#isClosed) await this.ensureFallback(session);
    });
  }

  /** Asks the provider in the background. */
  scheduleProvider(
    session: Session,
    messages: readonly SessionTitleUserMessage[],
    route: SessionTitleModelProvenance,
  ): void {
    const registration = this.#registration;
    if (!registration || this.#isClosed || this.isPinned(session)) return;
    const revision = this.#supersede(session);
    const signals = [revision.controller.signal, registration.controller.signal];
    this.#inBackground(
      async () => {
        await this.ensureFallback(session);
        await this.#generate(session, messages, { registration, revision, route });
      },
      () => signals.some(({ aborted }) => aborted),
    );
  }

  isPinned(session: Session): boolean {
    return this.#pinned.has(session) || foldSessionTitle(session.events)?.source.kind === 'user';
  }

  /** Whoever comes at the same time shares one write. */
  ensureFallback(session: Session): Promise<SessionTitleSnapshot | undefined> {
    const running = this.#fallbacks.get(session);
    if (running) return running;
    const writing = this.#writeFallback(session, () => foldSessionTitle(session.events) === undefined).finally(() =>
      this.#fallbacks.delete(session),
    );
    this.#fallbacks.set(session, writing);
    return writing;
  }

  async refresh(session: Session, signal: AbortSignal | undefined): Promise<SessionTitleSnapshot | undefined> {
    this.#assertLive(session);
    const registration = this.#registration;
    const revision = this.#supersede(session);
    const wasPinned = this.isPinned(session);
    this.#pinned.delete(session);
    const messages = messagesFor(registration?.provider, session.events);
    const work = this.#refresh(session, { registration, revision, messages, signal, wasPinned });
    this.#track(work);
    return work;
  }

  async rename(session: Session, title: string): Promise<SessionTitleSnapshot> {
    this.#assertLive(session);
    this.#supersede(session);
    this.#pinned.add(session);
    const data: SessionTitleEventData = { title, messageSeqs: [], source: { kind: 'user' } };
    const writing = this.writer.title(session, () => data);
    this.#track(writing);
    const event = await writing;
    this.#pinned.delete(session);
    return snapshotOf(event!);
  }

  /** Work for a session that is gone is of no use. */
  forget(session: Session): void {
    this.#revisions.get(session)?.controller.abort(superseded());
    this.#revisions.delete(session);
  }

  /** No new work; what runs has a short while, then it is aborted, and everything is awaited. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { graceMs = 0 } = this.#config;
    if (graceMs > 0 && this.#tracked.size > 0) await this.#settledWithin(graceMs);
    for (const session of [...this.#revisions.keys()]) this.forget(session);
    this.#registration?.controller.abort(superseded());
    while (this.#tracked.size > 0) await Promise.allSettled(this.#tracked);
  }

  async #settledWithin(ms: number): Promise<void> {
    const timer = new AbortController();
    const waited = sleep(ms, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([Promise.allSettled(this.#tracked), waited]);
    timer.abort();
    await waited;
  }

  async #unregister(registration: Registration): Promise<void> {
    this.#isLeaving = true;
    this.#registration = undefined;
    registration.controller.abort(superseded());
    while (registration.work.size > 0) await Promise.allSettled(registration.work);
    this.#isLeaving = false;
  }

  async #refresh(session: Session, { registration, revision, messages, signal, wasPinned }: RefreshParts) {
    if (!registration || messages.length === 0) {
      const fallback = wasPinned
        ? await this.#writeFallback(session, () => this.#isCurrent(session, revision))
        : await this.ensureFallback(session);
      signal?.throwIfAborted();
      return foldSessionTitle(session.events) ?? fallback;
    }
    await this.ensureFallback(session);
    const route = session.requestHeader()?.config;
    return this.#generate(session, messages, { registration, revision, signal, ...(route && { route }) });
  }

  async #writeFallback(session: Session, isWanted: () => boolean): Promise<SessionTitleSnapshot | undefined> {
    const event = await this.writer.title(session, () => {
      if (!this.#ctx.sessions.isLive(session) || !isWanted()) return undefined;
      return fallbackSessionTitle(collectSessionTitleMessages(session.events), this.#config);
    });
    return event && snapshotOf(event);
  }

  async #generate(session: Session, messages: readonly SessionTitleUserMessage[], parts: GenerateParts) {
    const { registration, revision, route, signal } = parts;
    const signals = [revision.controller.signal, registration.controller.signal, ...(signal ? [signal] : [])];
    const fused = AbortSignal.any(signals);
    fused.throwIfAborted();
    const frozen = Object.freeze(messages.map((message) => Object.freeze({ ...message })));
    const { provider } = registration;
    const asked = (async () =>
      provider.generate({
        session,
        messages: frozen,
        signal: fused,
        ...(route && { route: Object.freeze({ provider: route.provider, model: route.model }) }),
      }))();
    this.#track(asked, registration.work);
    const data = checkTitleResult(await asked, provider, { messages: frozen, ...this.#config });
    const event = await this.writer.title(session, () => {
      fused.throwIfAborted();
      const isWanted = this.#registration === registration && this.#isCurrent(session, revision);
      if (!isWanted || !this.#ctx.sessions.isLive(session)) throw superseded();
      return data;
    });
    return snapshotOf(event!);
  }

  #supersede(session: Session): Revision {
    this.#revisions.get(session)?.controller.abort(superseded());
    const revision = { controller: new AbortController() };
    this.#revisions.set(session, revision);
    return revision;
  }

  #isCurrent(session: Session, revision: Revision): boolean {
    return this.#revisions.get(session) === revision && !revision.controller.signal.aborted;
  }

  /** How work ends that nobody wants any more is of no interest. */
  #inBackground(work: () => Promise<unknown>, isUnwanted: () => boolean = () => false): void {
    const running = Promise.resolve().then(work);
    this.#track(
      running.catch((error: unknown) => {
        if (!this.#isClosed && !isUnwanted()) this.#ctx.notify('kernel/error', error, 'session-title');
      }),
    );
  }

  #track(work: Promise<unknown>, set = this.#tracked): void {
    const settled = work.then(
      () => {},
      () => {},
    );
    for (const one of new Set([set, this.#tracked])) {
      one.add(settled);
      void settled.then(() => one.delete(settled));
    }
  }

  #assertLive(session: Session): void {
    if (this.#ctx.sessions.isLive(session) && !this.#isClosed) return;
    throw new SessionTitleError(`session ${session.id} is not live`, 'SESSION_TITLE_NOT_LIVE');
  }
}

interface GenerateParts {
  readonly registration: Registration;
  readonly revision: Revision;
  readonly route?: SessionTitleModelProvenance;
  readonly signal?: AbortSignal | undefined;
}
interface RefreshParts {
  readonly registration: Registration | undefined;
  readonly revision: Revision;
  readonly messages: readonly SessionTitleUserMessage[];
  readonly signal: AbortSignal | undefined;
  readonly wasPinned: boolean;
}

/** What a provider of this kind is asked about. Pure. */
export function messagesFor(
  provider: Pick<SessionTitleProvider, 'automatic'> | undefined,
  events: readonly SessionEvent[],
): SessionTitleUserMessage[] {
  const messages = collectSessionTitleMessages(events);
  return provider?.automatic === 'first-message' ? messages.slice(0, 1) : messages;
}

function snapshotOf({ data, seq, time }: SessionEvent<'session/title'>): SessionTitleSnapshot {
  return Object.freeze({ ...data, eventSeq: seq, updatedAt: time });
}

function superseded(): SessionTitleError {
  return new SessionTitleError('this title is no longer wanted', 'SESSION_TITLE_SUPERSEDED');
}

function checkProvider(provider: SessionTitleProvider): void {
  const { id, automatic, generate } = (provider ?? {}) as Partial<SessionTitleProvider>;
  const isMode = automatic === 'first-message' || automatic === 'all-user-messages';
  if (typeof id === 'string' && (id as string) !== '' && isMode && typeof generate === 'function') return;
  const message = 'a title provider needs an id, a mode and a way to generate titles';
  throw new SessionTitleError(message, 'SESSION_TITLE_INVALID_PROVIDER');
}
