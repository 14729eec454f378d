import type { Intake } from '../../triggers/intake.ts';
import type { Ending } from './progress.ts';

export type Refusal = Extract<Intake, { kind: 'refuse' }>;
export type Reply = Extract<Intake, { kind: 'reply' }>;
export type Turn = Extract<Intake, { kind: 'turn' }>;
export type Answer = Extract<Intake, { kind: 'answer' }>;
export type Steering = Extract<Intake, { kind: 'steer' }>;

/** Where a host tells people what happens: comments and reactions on GitHub, or lines in a terminal. */
export interface Surface {
  /** The first visible sign that a command was taken (P1), or that a running turn has what it was told (S1). */
  accepted(taken: Turn | Steering): Promise<void>;
  /** A turn that was taken never begins: the sign of it goes (S2, S3). */
  withdrawn(turn: Turn): Promise<void>;
  refused(refusal: Refusal): Promise<void>;
  replied(reply: Reply): Promise<void>;
  /** An answer counted, or a command was done, and there is nothing more to say where it was written. */
  counted(taken: Pick<Answer | Reply, 'reading'>): Promise<void>;
  /** Opens the one place where this job's progress is told; made before the first tool runs (P2). */
  openProgress(turn: Turn, job: JobIdentity, draw: Draw): Promise<Progress>;
}

export interface JobIdentity {
  readonly session: string;
  readonly cause: string;
}

/** Draws the comment as it is now, or as it ends. */
export type Draw = (ending?: Ending) => string;

export interface Progress {
  /** Something changed; the surface decides when to show it. Never throws. */
  changed(line?: string): void;
  /** Shows the end, and settles the reactions on the command. */
  end(ending: Ending): Promise<void>;
  /** Tells nothing more: another process goes on with the job. */
  leave(): void;
}
