import type { OwnPull } from '../publish/publish-pull-request.ts';
import type { Redactor } from '../publish/redact.ts';
import type { JobRequest } from './job.ts';
import type { JobResult } from './job-kind.ts';
import type { SubmittedResult } from './submit-result.ts';

/** One fix: what it was asked, and what it has come to so far. */
export interface Fix {
  readonly request: JobRequest;
  readonly redactor: Redactor;
  /** What the model handed in last; undefined again once that was sent back. */
  submitted: SubmittedResult | undefined;
  /** The open pull request of an earlier turn of this session. */
  own: OwnPull | undefined;
  /** How often a failing verification went back to the model. */
  rounds: number;
  result: JobResult;
}
