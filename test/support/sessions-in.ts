import type { Plugin } from '../../src/harness/kernel/context.ts';
import { jsonlPersistence } from '../../src/store/jsonl/jsonl-persistence.ts';

/** Keeps the sessions of a kernel in files below a folder, from one kernel to the next. */
export function sessionsIn(root: string): Plugin<void> {
  return { name: 'sessions-in', inject: ['sessions'], apply: (ctx) => jsonlPersistence.apply(ctx, { root }) };
}
