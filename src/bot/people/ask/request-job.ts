import type { JsonValue } from '../../../harness/session/types.ts';
import type { Turn } from '../../../publish/progress/surface.ts';
import type { HumanRequest } from '../../../store/records.ts';
import type { JobRequest } from '../../job/job.ts';

/** What a request keeps of the job that asked: enough for any process to go on with it. */
export interface StoredJob {
  readonly turn: Turn;
  /** Of the App; absent where a token is used. */
  readonly installationId?: number;
}

export function storedJob({ turn, access }: Pick<JobRequest, 'turn' | 'access'>): JsonValue {
  const { installationId } = access;
  const job: StoredJob = { turn, ...(installationId !== undefined && { installationId }) };
  return JSON.parse(JSON.stringify(job)) as JsonValue;
}

export function jobOf({ job }: Pick<HumanRequest, 'job'>): StoredJob {
  return job as unknown as StoredJob;
}
