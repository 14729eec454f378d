import type { Context } from '../kernel/context.ts';
import { validateChunks } from './validate-chunks.ts';

/** Holds every model stream to the chunk grammar, outermost, whoever answers it. */
export const chunkValidator = {
  name: 'llm-chunk-validator',
  apply(ctx: Context): void {
    ctx.on('llm/stream', (_options, next) => validateChunks(next()), { prepend: true });
  },
};
