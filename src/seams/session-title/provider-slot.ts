import { BackgroundWork } from './background-work.ts';
import { SessionTitleError } from './session-title-error.ts';
import { superseded } from './title-revisions.ts';
import type { SessionTitleProvider } from './types.ts';

/** A provider for as long as it is registered. */
export interface Registration {
  readonly provider: SessionTitleProvider;
  readonly signal: AbortSignal;
  readonly work: BackgroundWork;
}

/** Room for one title provider; it is free again only when nothing of the last one runs. */
export class ProviderSlot {
  #controller: AbortController | undefined;
  #current: Registration | undefined;

  get current(): Registration | undefined {
    return this.#current;
  }

  /** Throws `SESSION_TITLE_INVALID_PROVIDER` or `SESSION_TITLE_PROVIDER_EXISTS`. */
  register(provider: SessionTitleProvider): () => Promise<void> {
    checkProvider(provider);
    if (this.#controller) {
      throw new SessionTitleError('there is a title provider already', 'SESSION_TITLE_PROVIDER_EXISTS');
    }
    const controller = new AbortController();
    const registration = { provider, signal: controller.signal, work: new BackgroundWork(() => {}) };
    this.#controller = controller;
    this.#current = registration;
    let leaving: Promise<void> | undefined;
    return () => (leaving ??= this.#leave(registration));
  }

  abort(): void {
    this.#controller?.abort(superseded());
  }

  async #leave({ work }: Registration): Promise<void> {
    this.#current = undefined;
    this.abort();
    await work.drain();
    this.#controller = undefined;
  }
}

function checkProvider(provider: SessionTitleProvider): void {
  const { id, automatic, generate } = (provider ?? {}) as Partial<SessionTitleProvider>;
  const isMode = automatic === 'first-message' || automatic === 'all-user-messages';
  if (typeof id === 'string' && (id as string) !== '' && isMode && typeof generate === 'function') return;
  const message = 'a title provider needs an id, a mode and a way to generate titles';
  throw new SessionTitleError(message, 'SESSION_TITLE_INVALID_PROVIDER');
}
