import type { Session } from '../../harness/session/session.ts';
import { SessionTitleError } from './session-title-error.ts';

/** Aborted as soon as newer work for the same session begins. */
export interface Revision {
  readonly signal: AbortSignal;
}

/** Of the work for one session only the newest counts. */
export class TitleRevisions {
  readonly #newest = new Map<Session, AbortController>();

  supersede(session: Session): Revision {
    this.forget(session);
    const controller = new AbortController();
    this.#newest.set(session, controller);
    return controller;
  }

  isCurrent(session: Session, revision: Revision): boolean {
    return this.#newest.get(session) === revision && !revision.signal.aborted;
  }

  forget(session: Session): void {
    this.#newest.get(session)?.abort(superseded());
    this.#newest.delete(session);
  }

  forgetAll(): void {
    for (const session of [...this.#newest.keys()]) this.forget(session);
  }
}

export function superseded(): SessionTitleError {
  return new SessionTitleError('this title is no longer wanted', 'SESSION_TITLE_SUPERSEDED');
}
