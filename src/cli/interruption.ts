import { EXIT } from './exit-code.ts';

/** Aborts on Ctrl-C and on a polite end; a second one ends the process at once, after `beforeExit`, which may not wait. */
export function interruption(beforeExit: () => void): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      controller.abort();
      process.once(name, () => {
        beforeExit();
        process.exit(EXIT.interrupted);
      });
    });
  }
  return controller.signal;
}
