import type { Redactor } from '../publish/redact.ts';
import { createAskJob } from './ask-job.ts';
import { createFixJob } from './fix-job.ts';
import type { JobRequest } from './job.ts';
import type { Job } from './job-kind.ts';
import { createReviewJob } from './review-job.ts';

export function createJob(request: JobRequest, redactor: Redactor): Job {
  switch (request.turn.job) {
    case 'fix':
      return createFixJob(request, redactor);
    case 'review':
      return createReviewJob(request, redactor);
    case 'ask':
      return createAskJob(request);
  }
}
