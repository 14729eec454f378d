/** Sessions: the append-only log, its events and folds. `SessionEventMap` and its kin are open. */
export * from './types.ts';
export * from './session.ts';
export * from './session-store.ts';
export * from './session-errors.ts';
export * from './persistence.ts';
export * from './rebuild-request.ts';
export * from './request-digest.ts';
export * from './prepare-stored-session.ts';
export * from './request-header.ts';
export * from './fold-surface.ts';
export * from './display-prompt-content.ts';
export * from './find-last-message-turn-end.ts';
export * from './interrupted-turn-closers.ts';
export * from './is-trigger-taken.ts';
export * from './last-of-type.ts';
export * from './message-authority.ts';
export * from './json.ts';
