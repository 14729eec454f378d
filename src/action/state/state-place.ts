import type { SubjectRef } from '../../triggers/reading.ts';

/** Where the sealed state of one session is kept between runs. */
export interface StatePlace {
  /** For people. */
  readonly name: string;
  /** How much it takes, in bytes. */
  readonly maxBytes: number;
  /** What is sealed into that which is saved here: the id of this run, or `-` where things are not of a run. */
  readonly run: string;
  /** What is there, the newest first; anybody may have put it there. */
  find(signal: AbortSignal): AsyncIterable<Candidate>;
  /**
   * `superseded` is of no use after it. False where another save came between the last `find` and this one. Throws
   * `STATE_UNAVAILABLE` where the token may not.
   */
  save(bytes: Buffer, superseded: string | undefined, signal: AbortSignal): Promise<boolean>;
}

export interface Candidate {
  readonly id: string;
  /** As `StatePlace.run` of who put it there; undefined where that is not known. */
  readonly run: string | undefined;
  /** Whether only those may have put it there who may write to the repository. */
  readonly isOwn: boolean;
  /** Undefined where it is nothing of ours, such as something larger than we ever keep. */
  read(): Promise<Buffer | undefined>;
}

/** The issue or pull request that a session began with names its state. */
export function stateName({ kind, number }: SubjectRef): string {
  return `dsh-session-${kind}-${number}`;
}

export function stateRef({ kind, number }: SubjectRef): string {
  return `refs/dsh/${kind}/${number}`;
}
