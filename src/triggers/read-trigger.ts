import { PAYLOADS } from './payload.ts';
import type { Payload, PayloadName } from './payload.ts';
import { readCheckSuite, readWorkflowRun } from './read-check.ts';
import { readDispatch } from './read-dispatch.ts';
import { readIssue } from './read-issue.ts';
import { readIssueComment } from './read-issue-comment.ts';
import { readPullRequest } from './read-pull-request.ts';
import { readReview, readReviewComment } from './read-review.ts';
import type { GitHubEvent, Reading } from './reading.ts';
import { ignore } from './reading-parts.ts';
import type { TriggerConfig } from './trigger-config.ts';

/** Reads one event: what it says, in order. Pure, and never throws on a payload (T11–T13). */
export function readTrigger(event: GitHubEvent, config: TriggerConfig): Reading[] {
  if (event.name === 'dsh_dispatch') return readDispatch(event);
  if (!isUsed(event.name)) return [ignore('event-not-used')];
  const parsed = PAYLOADS[event.name].safeParse(event.payload);
  if (!parsed.success) return [ignore('malformed-payload')];
  return READERS[event.name](parsed.data as never, event.delivery, config);
}

const READERS: { [N in PayloadName]: (payload: Payload<N>, delivery: string, config: TriggerConfig) => Reading[] } = {
  issue_comment: readIssueComment,
  issues: readIssue,
  pull_request_review: readReview,
  pull_request_review_comment: readReviewComment,
  pull_request: readPullRequest,
  check_suite: readCheckSuite,
  workflow_run: readWorkflowRun,
};

function isUsed(name: string): name is PayloadName {
  return Object.hasOwn(PAYLOADS, name);
}
