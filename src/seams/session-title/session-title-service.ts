import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { VIEW_FOR } from '../../harness/kernel/service-registry.ts';
import type { Session } from '../../harness/session/session.ts';
import { foldSessionTitle } from './fold-title.ts';
import { normalizeSessionTitle } from './normalize-title.ts';
import { SessionTitleError } from './session-title-error.ts';
import { TitleKeeper } from './title-keeper.ts';
import { watchSessions } from './watch-sessions.ts';
import type { TitleWriter } from './title-writer.ts';
import type { SessionTitleConfig, SessionTitleProvider, SessionTitleSnapshot } from './types.ts';

declare module '../../harness/kernel/context.ts' {
  interface Context {
    sessionTitle: SessionTitleService;
  }
}

/** Gives every session a readable name at once, and perhaps a better one later. Provides `ctx.sessionTitle`. */
export const sessionTitle: Plugin<SessionTitleConfig> = {
  name: 'session-title',
  inject: ['sessions'],
  apply(ctx: Context, config) {
    checkConfig(config);
    const keeper = new TitleKeeper(ctx, config);
    ctx.effect(() => () => keeper.close(), 'session titles');
    watchSessions(ctx, keeper);
    ctx.provide('sessionTitle', new SessionTitleService(ctx, keeper, config));
  },
};

export class SessionTitleService {
  readonly #ctx: Context;
  readonly #keeper: TitleKeeper;
  readonly #config: SessionTitleConfig;

  constructor(ctx: Context, keeper: TitleKeeper, config: SessionTitleConfig) {
    this.#ctx = ctx;
    this.#keeper = keeper;
    this.#config = config;
  }

  [VIEW_FOR](ctx: Context): SessionTitleService {
    return new SessionTitleService(ctx, this.#keeper, this.#config);
  }

  get(session: Session): SessionTitleSnapshot | undefined {
    return foldSessionTitle(session.events);
  }

  /**
   * A new title from the provider; without one, or without anything people wrote, the fallback if there is one. Also
   * takes back what a person had named it. Rejects with what the provider throws.
   */
  async refresh(session: Session, signal?: AbortSignal): Promise<SessionTitleSnapshot | undefined> {
    signal?.throwIfAborted();
    return this.#keeper.refresh(session, signal);
  }

  /**
   * Names a session as a person wants it, for good: nothing but `refresh` changes it then. Resolves when it is durable.
   * @throws SessionTitleError at once, `SESSION_TITLE_EMPTY` for a name without visible text
   */
  rename(session: Session, title: string): Promise<SessionTitleSnapshot> {
    const normal = normalizeSessionTitle(title, this.#config.maxTitleBytes);
    if (normal === undefined) throw new SessionTitleError('a title needs visible text', 'SESSION_TITLE_EMPTY');
    return this.#keeper.rename(session, normal);
  }

  /** One at a time. The disposer resolves when nothing of this provider runs any more. */
  register(provider: SessionTitleProvider): () => Promise<void> {
    const leave = this.#ctx.effect(() => this.#keeper.register(provider), `title provider ${provider?.id}`);
    return async () => void (await leave());
  }

  /** Resolves when nothing is under way, or after `ms`: for hosts whose sessions end soon after their turn. */
  settledWithin(ms: number): Promise<void> {
    return this.#keeper.settledWithin(ms);
  }

  /** The queue of a session's title events, for providers that log what they send. */
  get writer(): TitleWriter {
    return this.#keeper.writer;
  }
}

function checkConfig(config: SessionTitleConfig): void {
  const { fallbackMaxBytes, maxTitleBytes, graceMs = 0 } = config;
  for (const name of ['fallbackMaxWords', 'fallbackMaxBytes', 'maxTitleBytes'] as const) {
    if (Number.isSafeInteger(config[name]) && config[name] > 0) continue;
    throw invalid(`${name} must be a positive whole number, not ${String(config[name])}`);
  }
  if (fallbackMaxBytes > maxTitleBytes) throw invalid('fallbackMaxBytes is more than maxTitleBytes');
  if (!(Number.isFinite(graceMs) && graceMs >= 0)) throw invalid(`graceMs cannot be ${String(graceMs)}`);
}

function invalid(message: string): SessionTitleError {
  return new SessionTitleError(message, 'SESSION_TITLE_INVALID_CONFIG');
}
