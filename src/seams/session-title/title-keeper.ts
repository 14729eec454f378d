import type { Context } from '../../harness/kernel/context.ts';
import type { Session } from '../../harness/session/session.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { BackgroundWork } from './background-work.ts';
import { checkTitleResult } from './check-result.ts';
import { collectSessionTitleMessages } from './collect-messages.ts';
import { fallbackSessionTitle } from './fallback-title.ts';
import { foldSessionTitle } from './fold-title.ts';
import { ProviderSlot } from './provider-slot.ts';
import type { Registration } from './provider-slot.ts';
import { SessionTitleError } from './session-title-error.ts';
import { superseded, TitleRevisions } from './title-revisions.ts';
import type { Revision } from './title-revisions.ts';
import { TitleWriter } from './title-writer.ts';
import type {
  SessionTitleConfig,
  SessionTitleEventData,
  SessionTitleModelProvenance,
  SessionTitleProvider,
  SessionTitleSnapshot,
  SessionTitleUserMessage,
} from './types.ts';

/** Makes the titles of sessions: the fallback, what the provider gives, what people want. */
export class TitleKeeper {
  readonly writer: TitleWriter;
  readonly #ctx: Context;
  readonly #config: SessionTitleConfig;
  readonly #slot = new ProviderSlot();
  readonly #revisions = new TitleRevisions();
  readonly #work: BackgroundWork;
  readonly #fallbacks = new Map<Session, Promise<SessionTitleSnapshot | undefined>>();
  /** Named by a person, also while that is still to be written. */
  readonly #pinned = new WeakSet<Session>();
  #isClosed = false;

  constructor(ctx: Context, config: SessionTitleConfig) {
    this.#ctx = ctx;
    this.#config = config;
    this.writer = new TitleWriter(ctx.sessions);
    this.#work = new BackgroundWork((error) => ctx.notify('kernel/error', error, 'session-title'));
  }

  get provider(): SessionTitleProvider | undefined {
    return this.#slot.current?.provider;
  }

  register(provider: SessionTitleProvider): () => Promise<void> {
    return this.#slot.register(provider);
  }

  scheduleFallback(session: Session): void {
    if (this.#isClosed) return;
    this.#work.start(
      () => this.ensureFallback(session),
      () => this.#isClosed,
    );
  }

  scheduleProvider(
    session: Session,
    messages: readonly SessionTitleUserMessage[],
    route: SessionTitleModelProvenance,
  ): void {
    const registration = this.#slot.current;
    if (!registration || this.#isClosed || this.isPinned(session)) return;
    const revision = this.#revisions.supersede(session);
    this.#work.start(
      async () => {
        await this.ensureFallback(session);
        await this.#generate(session, messages, { registration, revision, route });
      },
      () => this.#isClosed || revision.signal.aborted || registration.signal.aborted,
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
    const registration = this.#slot.current;
    const revision = this.#revisions.supersede(session);
    const wasPinned = this.isPinned(session);
    this.#pinned.delete(session);
    const messages = messagesFor(registration?.provider, session.events);
    const refreshing =
      registration && messages.length > 0
        ? this.#refreshByProvider(session, messages, { registration, revision, signal })
        : this.#refreshWithoutProvider(session, { revision, signal, wasPinned });
    this.#work.track(refreshing);
    return refreshing;
  }

  async rename(session: Session, title: string): Promise<SessionTitleSnapshot> {
    this.#assertLive(session);
    this.#revisions.supersede(session);
    this.#pinned.add(session);
    const data: SessionTitleEventData = { title, messageSeqs: [], source: { kind: 'user' } };
    const writing = this.writer.title(session, () => data);
    this.#work.track(writing);
    const event = await writing;
    this.#pinned.delete(session);
    return snapshotOf(event!);
  }

  /** Work for a session that is gone is of no use. */
  forget(session: Session): void {
    this.#revisions.forget(session);
  }

  settledWithin(ms: number): Promise<void> {
    return this.#work.settledWithin(ms);
  }

  /** No new work; what runs has a short while, then it is aborted, and everything is awaited. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work.settledWithin(this.#config.graceMs ?? 0);
    this.#revisions.forgetAll();
    this.#slot.abort();
    await this.#work.drain();
  }

  async #refreshByProvider(session: Session, messages: readonly SessionTitleUserMessage[], parts: GenerateParts) {
    await this.ensureFallback(session);
    const route = session.requestHeader()?.config;
    return this.#generate(session, messages, { ...parts, ...(route && { route }) });
  }

  /** What a person named it is taken back by writing the fallback anew. */
  async #refreshWithoutProvider(session: Session, { revision, signal, wasPinned }: PlainParts) {
    if (wasPinned) await this.#writeFallback(session, () => this.#revisions.isCurrent(session, revision));
    else await this.ensureFallback(session);
    signal?.throwIfAborted();
    return foldSessionTitle(session.events);
  }

  async #writeFallback(session: Session, isWanted: () => boolean): Promise<SessionTitleSnapshot | undefined> {
    const event = await this.writer.title(session, () => {
      if (!this.#ctx.sessions.isLive(session) || !isWanted()) return undefined;
      return fallbackSessionTitle(collectSessionTitleMessages(session.events), this.#config);
    });
    return event && snapshotOf(event);
  }

  async #generate(session: Session, given: readonly SessionTitleUserMessage[], parts: GenerateParts) {
    const { registration, revision, signal } = parts;
    const fused = AbortSignal.any([revision.signal, registration.signal, ...(signal ? [signal] : [])]);
    fused.throwIfAborted();
    const messages = Object.freeze(given.map((message) => Object.freeze({ ...message })));
    const { provider, work } = registration;
    const asked = ask(provider, { session, messages, signal: fused, route: parts.route });
    for (const tracker of [work, this.#work]) tracker.track(asked);
    const data = checkTitleResult(await asked, provider, { messages, ...this.#config });
    const event = await this.writer.title(session, () => {
      fused.throwIfAborted();
      const isWanted = this.#slot.current === registration && this.#revisions.isCurrent(session, revision);
      if (!isWanted || !this.#ctx.sessions.isLive(session)) throw superseded();
      return data;
    });
    return snapshotOf(event!);
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
interface PlainParts extends Pick<GenerateParts, 'revision' | 'signal'> {
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

interface Asked {
  readonly session: Session;
  readonly messages: readonly SessionTitleUserMessage[];
  readonly signal: AbortSignal;
  readonly route: SessionTitleModelProvenance | undefined;
}

/** A provider that throws at once rejects, too. */
async function ask(provider: SessionTitleProvider, { route, ...request }: Asked) {
  const known = route && { route: Object.freeze({ provider: route.provider, model: route.model }) };
  return provider.generate({ ...request, ...known });
}

function snapshotOf({ data, seq, time }: SessionEvent<'session/title'>): SessionTitleSnapshot {
  return Object.freeze({ ...data, eventSeq: seq, updatedAt: time });
}
