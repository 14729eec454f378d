import type { Redactor } from '../../publish/redact.ts';
import type { LogFailure } from '../../publish/review/settle-threads.ts';
import { createAskJob } from '../ask/ask-job.ts';
import { createFixJob } from '../fix/fix-job.ts';
import { createGoalJob } from '../fix/goal-job.ts';
import type { JobRequest } from './job.ts';
import type { Job } from './job-kind.ts';
import { createPlanJob } from '../fix/plan-job.ts';
import { createReviewJob } from '../review/review-job.ts';

export function createJob(request: JobRequest, redactor: Redactor, log: LogFailure): Job {
  switch (request.turn.job) {
    case 'fix':
      return createFixJob(request, redactor);
    case 'review':
      return createReviewJob(request, redactor, log);
    case 'ask':
      return createAskJob(request);
    case 'plan':
      return createPlanJob(request);
    case 'goal':
      return createGoalJob(request, redactor);
  }
}
