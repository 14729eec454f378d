import { EXIT } from './exit-code.ts';

/** Aborts on Ctrl-C and on a polite end; a second one ends the process at once, after `beforeExit`, which may not wait. */
export function interruption(beforeExit: () => void): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    let asked = false;
    // Never without a listener: between two of them a signal would end the process by itself.
    process.on(name, () => {
      if (asked) {
        beforeExit();
        process.exit(EXIT.interrupted);
      }
      asked = true;
      controller.abort();
    });
  }
  return controller.signal;
}
