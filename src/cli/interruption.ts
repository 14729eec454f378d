import { DshError } from '../errors.ts';
import { EXIT } from './exit-code.ts';
import type { Output } from './output.ts';

/** Aborts on Ctrl-C and on a polite end. A second one ends the process at once: there is no time for a result. */
export function interruptionOf(output: Pick<Output, 'finish'>): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    let asked = false;
    // Never without a listener: between two of them a signal would end the process by itself.
    process.on(name, () => {
      if (asked) {
        output.finish(EXIT.interrupted);
        process.exit(EXIT.interrupted);
      }
      asked = true;
      controller.abort();
    });
  }
  return controller.signal;
}

/** What a command that was interrupted before its turn failed with. */
export function interruptedBefore(cause: unknown): DshError {
  return new DshError('Interrupted before a turn began.', 'INTERRUPTED', 'Run it again to start over.', { cause });
}
