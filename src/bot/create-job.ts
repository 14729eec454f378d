import type { Redactor } from '../publish/redact.ts';
import type { LogFailure } from '../publish/settle-threads.ts';
import { createAskJob } from './ask-job.ts';
import { createFixJob } from './fix-job.ts';
import { createGoalJob } from './goal-job.ts';
import type { JobRequest } from './job.ts';
import type { Job } from './job-kind.ts';
import { createPlanJob } from './plan-job.ts';
import { createReviewJob } from './review-job.ts';

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
