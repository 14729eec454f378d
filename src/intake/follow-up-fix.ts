import type { JobOutcome } from '../bot/job/job.ts';
import { approvedCause } from '../bot/job/job-cause.ts';
import type { Turn } from '../publish/progress/surface.ts';

/** The fix that carries out a plan which was approved; undefined for all else. Its cause is its own (T5). Pure. */
export function followUpFix(turn: Turn, { produced }: Pick<JobOutcome, 'produced'>): Turn | undefined {
  if (produced.kind !== 'plan' || !produced.approved) return undefined;
  const { reading } = turn;
  return { ...turn, job: 'fix', request: REQUEST, reading: { ...reading, cause: approvedCause(reading.cause) } };
}

const REQUEST = 'Carry out the plan that was approved.';
