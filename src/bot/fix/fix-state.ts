import type { Checkout } from '../../github/git/checkout.ts';
import type { StagedTree } from '../../github/tree/stage-changes.ts';
import type { OwnPull } from '../../publish/pull-request/publish-pull-request.ts';
import type { Redactor } from '../../publish/redact.ts';
import type { JobRequest } from '../job/job.ts';
import type { JobResult } from '../job/job-kind.ts';
import type { Move } from './publish/moved-notes.ts';
import type { SubmittedResult } from './submit-result.ts';

export interface Conflict {
  /** The work as it was, on the commit it was made and verified on. */
  readonly staged: StagedTree;
  readonly branch: string;
  readonly head: string;
  readonly paths: readonly string[];
}

/** One fix: what it was asked, and what it has come to so far. */
export interface Fix {
  readonly request: JobRequest;
  readonly redactor: Redactor;
  /** What the model handed in last; undefined again once that was sent back. */
  submitted: SubmittedResult | undefined;
  /** The open pull request of an earlier turn of this session. */
  own: OwnPull | undefined;
  /** The tree the work is done in; known once the job has begun. */
  checkout: Checkout | undefined;
  /** What people said on the subject, to tell what was asked from what was not. */
  threadText: string;
  /** States of the tree that the model was shown before its result counts. */
  readonly reviewed: Set<string>;
  /** Tests that prove nothing went back to the model. */
  sentTestsBack: boolean;
  /** So did conflict markers. */
  sentMarkersBack: boolean;
  /** How often a failing verification went back to the model. */
  rounds: number;
  /** The verification took the last sandbox: the model can do nothing more. */
  isSandboxGone: boolean;
  /** Where the branch moved and the work did not merge; the model is shown that once (U3). */
  conflict: Conflict | undefined;
  /** Where the branch moved on, and the work was moved after it and verified again. */
  readonly moves: Move[];
  result: JobResult;
}
