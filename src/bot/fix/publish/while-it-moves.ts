import { isHarnessError } from '../../../harness/llm/errors.ts';

const MAX_TRIES = 3;

/** Tries again where the branch moved between looking and writing, at most three times (I5). */
export async function whileItMoves<T>(publish: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await publish();
    } catch (error) {
      if (tries === MAX_TRIES || !isHarnessError(error) || error.code !== 'BRANCH_MOVED') throw error;
    }
  }
}
