/** Work nobody waits for, until whoever started it is unloaded. */
export interface DetachedRuns {
  readonly signal: AbortSignal;
  /** Takes a run together with all that follows from it. */
  track(run: Promise<unknown>): void;
  /** Aborts what runs and resolves when nothing is left, what was started meanwhile included. Never rejects. */
  drain(): Promise<void>;
}

/** `report` hears of runs that failed. */
export function createDetachedRuns(report: (error: unknown) => void): DetachedRuns {
  const controller = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    signal: controller.signal,
    track(run) {
      const tracked = run.catch(report).finally(() => running.delete(tracked));
      running.add(tracked);
    },
    async drain() {
      controller.abort();
      while (running.size > 0) await Promise.all(running);
    },
  };
}
