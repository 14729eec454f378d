import { setTimeout as wait } from 'node:timers/promises';

/** Time as an argument. `sleep` rejects with the signal's reason when it aborts. */
export interface Clock {
  now(): Date;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: async (ms, signal) => {
    await wait(ms, undefined, { signal });
  },
};
