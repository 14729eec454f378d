import type { Finding } from '../../publish/review/finding.ts';
import type { LogFailure } from '../../publish/review/settle-threads.ts';
import type { Redactor } from '../../publish/redact.ts';
import type { FileGroup } from './group-files.ts';
import type { JobRequest } from '../job/job.ts';
import type { JobResult } from '../job/job-kind.ts';
import type { ReviewInput } from './review-input.ts';

/** One review while it is made. */
export interface Review {
  readonly request: JobRequest;
  readonly redactor: Redactor;
  readonly log: LogFailure;
  /** The first is the turn itself. */
  readonly readers: Reader[];
  input: ReviewInput | undefined;
  /** Parts of the change that other readers are to read, with the first one's own in front. */
  groups: readonly FileGroup[];
  /** Whether they have. */
  othersHaveRead: boolean;
  /** What got how much attention, in sentences. */
  readonly attention: string[];
  /** What was not looked at, and why. */
  readonly limits: string[];
  result: JobResult;
  /** For a newer head, where pushes are not waited for (R13). Times in milliseconds; `lastMs` since `startedAt`. */
  readonly looks: { readonly startedAt: number; lastMs: number; isSuperseded: boolean };
}

export interface Reader {
  /** As they were reported, redacted. */
  readonly findings: Finding[];
  /** What this reader ran, by which its findings are weighed. */
  commands: readonly string[];
}
