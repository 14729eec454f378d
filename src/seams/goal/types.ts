import type { Branded } from '../../harness/kernel/branded.ts';

export type GoalId = Branded<'GoalId'>;
export function GoalId(value: string): GoalId {
  return value as GoalId;
}

/** Compare-and-set: whoever changes a goal names the revision he saw; the first is 1. */
export interface GoalRef {
  readonly id: GoalId;
  readonly revision: number;
}
/** Kept in the log. */
export type GoalPhase = 'active' | 'paused' | 'blocked' | 'complete';
/** Of this process only: whether rounds may start by themselves. */
export type GoalActivation = 'armed' | 'disarmed';
export interface GoalBlockReason {
  /** Lower-case words joined by hyphens. */
  readonly code: string;
  readonly message: string;
}
export interface GoalSnapshot extends GoalRef {
  readonly objective: string;
  readonly phase: GoalPhase;
  /** There exactly while it is blocked. */
  readonly blockedReason?: GoalBlockReason;
  readonly maxGoalRounds: number;
}
/** Times are epoch milliseconds. */
export interface GoalView extends GoalSnapshot {
  readonly roundsStarted: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly activation: GoalActivation;
}
export type GoalOperation = 'create' | 'edit' | 'pause' | 'resume' | 'complete' | 'block' | 'clear';
export interface GoalSnapshotChangeMeta {
  readonly kind: 'goal/change';
  readonly version: 1;
  readonly operation: Exclude<GoalOperation, 'clear'>;
  readonly goal: GoalSnapshot;
  readonly roundsStarted: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Where a person allowed earlier that it goes on by itself: names the words that did. */
  readonly grantedBy?: string;
}
export interface GoalClearChangeMeta {
  readonly kind: 'goal/change';
  readonly version: 1;
  readonly operation: 'clear';
  readonly cleared: GoalRef;
  readonly clearedAt: number;
}
export type GoalChangeMeta = GoalSnapshotChangeMeta | GoalClearChangeMeta;
/** Round 0 tells of a change; from 1 on it is the prompt of that round. */
export interface GoalMessageSource {
  kind: 'goal';
  goalId: string;
  revision: number;
  round: number;
}
export interface FoldedGoal {
  readonly goal?: GoalSnapshot;
  readonly roundsStarted: number;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly lastRef?: GoalRef;
}
export interface CreateGoalRequest {
  readonly objective: string;
  readonly maxGoalRounds?: number;
}
export interface EditGoalRequest {
  readonly objective?: string;
  readonly maxGoalRounds?: number;
}
export interface GoalChanged {
  readonly operation: GoalOperation;
  readonly ref: GoalRef;
  readonly goal?: GoalView;
}
export type GoalRoundOutcome =
  | { readonly kind: 'continue' }
  | { readonly kind: 'pause'; readonly reason: string }
  | {
      readonly kind: 'blocked';
      readonly code: 'usage-limited' | 'turn-error' | 'max-tokens' | 'prompt-rejected' | 'unknown-turn-outcome';
      readonly message: string;
    }
  | {
      readonly kind: 'disarm';
      /** `parked`: a person is asked; nothing is settled until that turn was gone on with. */
      readonly reason: 'durability-failed' | 'disposed' | 'interrupted' | 'parked';
    };

declare module '../../harness/llm/types.ts' {
  interface MessageSourceMap {
    goal: GoalMessageSource;
  }
}
