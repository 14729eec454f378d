import type { Plugin } from '../../harness/kernel/context.ts';
import type { SessionPersistence } from '../../harness/session/persistence.ts';
import { CoordinatedPersistence } from '../coordinated-persistence.ts';
import { PersistenceCoordinator } from '../persistence-coordinator.ts';
import { providePersistence } from '../provide-persistence.ts';
import { JsonlBackend } from './jsonl-backend.ts';
import type { JsonlConfig } from './jsonl-backend.ts';

export type { JsonlConfig } from './jsonl-backend.ts';

/** Stores every live session as a file of its own. */
export const jsonlPersistence: Plugin<JsonlConfig> = {
  name: 'jsonl-persistence',
  inject: ['sessions'],
  apply: (ctx, config) => providePersistence(ctx, new JsonlBackend(config)),
};

/** Session files without a kernel: for tools that only read, export or import. */
export function openJsonlSessions(config: JsonlConfig): SessionPersistence {
  const backend = new JsonlBackend(config);
  return new CoordinatedPersistence(backend, new PersistenceCoordinator(backend));
}
