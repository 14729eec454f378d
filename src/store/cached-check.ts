import { setTimeout as sleep } from 'node:timers/promises';

export interface CheckTerms {
  /** An outcome holds for so long, whoever asks. */
  readonly holdsMs: number;
  /** What takes longer has failed. */
  readonly limitMs: number;
}

/** A check that is made once for all who ask within some seconds, and that always answers. */
export function cachedCheck(check: () => Promise<unknown>, { holdsMs, limitMs }: CheckTerms): () => Promise<void> {
  let last: { readonly outcome: Promise<void>; readonly until: number } | undefined;
  return () => {
    if (last && performance.now() < last.until) return last.outcome;
    const outcome = within(check(), limitMs);
    outcome.catch(() => {});
    last = { outcome, until: performance.now() + holdsMs };
    return outcome;
  };
}

async function within(work: Promise<unknown>, limitMs: number): Promise<void> {
  const timer = new AbortController();
  const late = async () => {
    await sleep(limitMs, undefined, { signal: timer.signal, ref: false });
    throw new Error(`no answer within ${limitMs / 1_000} seconds`);
  };
  try {
    await Promise.race([work, late()]);
  } finally {
    timer.abort();
  }
}
