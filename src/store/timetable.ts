/** Something that is due from time to time: what ran out, what was missed, what is old. */
export interface Sweep {
  /** Lower case letters and hyphens. */
  readonly name: string;
  /** At the start, and then so often. */
  readonly everyMs: number;
  /** `machine` where each machine has its own to do; else it is done once for all that share the store. */
  readonly scope?: 'machine';
  run(signal: AbortSignal): Promise<unknown>;
}

/** Keeps sweeps until it is stopped. */
export interface Timetable {
  /** Resolves when what this process has to do of them now is done. */
  whenIdle(): Promise<void>;
  /** Ends the sweep that runs, and resolves when it has ended. */
  stop(): Promise<void>;
}
