/** Sessions: the append-only log, its events and folds. `SessionEventMap` and its kin are open. */
export * from './types.ts';
export * from './session.ts';
export * from './session-store.ts';
export * from './session-errors.ts';
export * from './persistence.ts';
export * from './rebuild-request.ts';
export * from './request-digest.ts';
