import type { Config } from '../config/config.ts';
import type { SessionId } from '../harness/session/types.ts';
import type { CommandName } from './command-table.ts';
import type { EndReason, IgnoreReason, JobKind, Reading } from './reading.ts';
import type { PermissionFact } from './rights.ts';

export interface RunningTurn {
  readonly cause: string;
  readonly startedBy: { readonly id: number; readonly login: string };
}

/** A question that waits for people. */
export interface OpenRequest {
  readonly id: string;
  readonly kind: 'approval' | 'question';
  readonly askedOf: { readonly id: number };
  /** When it was asked, in epoch milliseconds. */
  readonly askedAt: number;
  /** What a reply that quotes it would hold. */
  readonly text: string;
  /** The cause of the job that waits. */
  readonly cause: string | undefined;
}

/** What was looked up between reading and deciding. */
export interface Facts {
  readonly permission: PermissionFact;
  /** The cause was taken, by another delivery or a turn of the log (T5). */
  readonly causeTaken: boolean;
  readonly session: SessionId;
  /** What this person commanded in this repository within some minutes, this one included (X12). */
  readonly commands: number;
  /** That there is a limit, this person was told already. */
  readonly limitTold: boolean;
  readonly running: RunningTurn | undefined;
  readonly open: readonly OpenRequest[];
  /** What the session's last turn was for. */
  readonly lastJob: JobKind | undefined;
  /** Turns at the end of the log that this kind of machine started without a person between them (T7, F4). */
  readonly machineTurns: number;
  /** Names of the commands that plugins bring; looked up where what is written is none of ours. */
  readonly plugged: readonly string[];
  /** Who asked for the fix whose branch a check failed on; his right is looked up again (F4). */
  readonly asker?: { readonly id: number; readonly login: string } | undefined;
}

export type RefusedReading = TurnReading | Extract<Reading, { kind: 'misunderstood' }>;
export type RefuseReason = 'no-permission' | 'could-not-check' | 'not-a-pull-request' | 'too-many-commands';
export type CommandReading = Extract<Reading, { kind: 'command' }>;
export type RemarkReading = Extract<Reading, { kind: 'remark' }>;
export type BoxesReading = Extract<Reading, { kind: 'boxes' }>;
export type TurnReading = Extract<
  Reading,
  { kind: 'command' | 'pull-request' | 'labelled' | 'check-failure' | 'custom' }
>;

/** What somebody answered, as he gave it; whether it fits what was asked is for whoever settles it. */
export type AnswerValue =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly reason: string | undefined }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'boxes'; readonly ticked: readonly number[]; readonly checked: readonly number[] };

export type Intake =
  | { readonly kind: 'ignore'; readonly why: IgnoreReason }
  | { readonly kind: 'refuse'; readonly why: RefuseReason; readonly reading: RefusedReading }
  | {
      readonly kind: 'reply';
      readonly text: string;
      /** To be tried first on the session whose turn runs: plugins may have added the command. */
      readonly line?: string;
      readonly reading: Extract<Reading, { kind: 'command' | 'misunderstood' | 'remark' }>;
    }
  | {
      /** To a plugin of the session, which understands this line. */
      readonly kind: 'plugged';
      readonly line: string;
      readonly session: SessionId;
      readonly reading: Extract<Reading, { kind: 'misunderstood' }>;
    }
  | {
      /** Answered without the model. */
      readonly kind: 'command';
      readonly name: CommandName;
      readonly session: SessionId;
      readonly permission: PermissionFact;
      readonly reading: CommandReading;
    }
  | {
      readonly kind: 'turn';
      readonly job: JobKind;
      readonly request: string;
      readonly permission: PermissionFact;
      readonly reading: TurnReading;
    }
  | {
      readonly kind: 'steer';
      readonly session: SessionId;
      readonly text: string;
      readonly permission: PermissionFact;
      readonly reading: CommandReading;
    }
  | {
      readonly kind: 'answer';
      readonly session: SessionId;
      readonly request: string;
      readonly value: AnswerValue;
      readonly how: 'box' | 'command' | 'reply';
      /** Whoever settles it looks at it again: the decision is his (A2). */
      readonly permission: PermissionFact;
      readonly reading: CommandReading | RemarkReading | BoxesReading;
    }
  | {
      readonly kind: 'note';
      readonly session: SessionId;
      readonly text: string;
      readonly reading: Extract<Reading, { kind: 'note' }>;
    }
  | {
      readonly kind: 'end';
      readonly session: SessionId;
      readonly why: EndReason;
      readonly reading: Extract<Reading, { kind: 'end' }>;
    };

export type DecideConfig = Pick<Config, 'permissions' | 'maxBotTurns' | 'checks' | 'language'>;
