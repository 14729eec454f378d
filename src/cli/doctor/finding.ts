import { problemOf, problemOfFailure } from '../../bot/telling/problem.ts';
import { LlmError } from '../../harness/llm/errors.ts';

/** What a check came to: that all is well, why not, or why it was not looked at; and how to mend it. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly what: string;
  readonly mend?: string;
}

/** Looks at one thing. What it throws is the finding that it failed. */
export interface Check {
  readonly name: string;
  /** What to do where nothing better is known. */
  readonly mend: string;
  run(signal: AbortSignal): Promise<Omit<Finding, 'name'>>;
}

export const ok = (what: string): Omit<Finding, 'name'> => ({ state: 'ok', what });
export const skipped = (what: string, mend?: string): Omit<Finding, 'name'> => ({
  state: 'skipped',
  what,
  ...(mend !== undefined && { mend }),
});
export const warning = (what: string, mend: string): Omit<Finding, 'name'> => ({ state: 'warning', what, mend });
export const failed = (what: string, mend: string): Omit<Finding, 'name'> => ({ state: 'failed', what, mend });

/** Never rejects. A check that does not come to an end in time has failed. */
export async function find({ name, mend, run }: Check, limitMs: number): Promise<Finding> {
  const timeout = AbortSignal.timeout(limitMs);
  const late = new Promise<never>((_resolve, reject) => {
    timeout.addEventListener('abort', () => reject(new Error('late')), { once: true });
  });
  try {
    return { name, ...(await Promise.race([run(timeout), late])) };
  } catch (error) {
    const { message, hint } = error instanceof LlmError ? problemOfFailure(error.failure) : problemOf(error);
    if (!timeout.aborted) return { name, ...failed(message, hint ?? mend) };
    return { name, ...failed(`No answer within ${limitMs / 1000} seconds.`, mend) };
  }
}
