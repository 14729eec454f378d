import type { JobStanding } from '../people/stand-of-job.ts';
import type { Job } from './job-kind.ts';

/** Where a job that is to be worked on stands. */
export type Working = Exclude<JobStanding, { kind: 'tell' | 'waits' }>;

/** The turn that this one goes on from: of the same job, or an earlier one that changed the tree and was never ended. */
export function cutOffTurn(take: Working, job: Pick<Job, 'mode'>): number | undefined {
  if (take.kind === 'resume') return take.turn;
  return take.kind === 'begin' && job.mode === 'workspace-write' ? take.cutOff : undefined;
}
