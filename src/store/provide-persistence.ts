import type { Context } from '../harness/kernel/context.ts';
import type { SessionHeader } from '../harness/session/types.ts';
import type { SessionLocation } from '../harness/session/persistence.ts';
import { CoordinatedPersistence } from './coordinated-persistence.ts';
import { storeLiveSessions } from './live-sessions.ts';
import type { PersistenceBackend } from './persistence-backend.ts';
import { PersistenceCoordinator } from './persistence-coordinator.ts';

/** Stores the live sessions of a context with this backend, and provides `ctx.persistence`. */
export function providePersistence<Torn>(
  ctx: Context,
  backend: PersistenceBackend<Torn> & { locate?(meta: SessionHeader): SessionLocation },
): void {
  const coordinator = new PersistenceCoordinator(backend);
  storeLiveSessions(ctx, coordinator, backend);
  ctx.provide('persistence', new CoordinatedPersistence(backend, coordinator));
}
