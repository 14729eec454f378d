import type { JobRequest } from '../job/job.ts';
import type { Job, JobResult } from '../job/job-kind.ts';
import { lastText } from '../telling/last-text.ts';
import { readingTarget } from './reading-target.ts';
import { threadContexts } from '../context/request-prompt.ts';

/** A question: answered in text from the code, and nothing is changed. */
export function createAskJob({ config }: JobRequest): Job {
  let result: JobResult = { produced: { kind: 'nothing' }, summary: '', verify: [] };
  return {
    mode: 'read-only',
    tools: [],
    isSubmitted: false,
    get result() {
      return result;
    },
    target: (subject) => readingTarget(subject, config),
    contexts: async (subject) => threadContexts(subject.thread),
    conclude: async ({ agent }) => {
      const text = lastText(agent.session.events);
      result = { produced: { kind: 'answer', text }, summary: text, verify: [] };
      return { action: 'stop' };
    },
  };
}
