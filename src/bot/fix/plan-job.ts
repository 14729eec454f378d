import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { JobRequest } from '../job/job.ts';
import type { Job, JobResult } from '../job/job-kind.ts';
import { sinceJobBegan } from '../job/since-job-began.ts';
import { lastText } from '../telling/last-text.ts';
import { readingTarget } from '../ask/reading-target.ts';
import { threadContexts } from '../context/request-prompt.ts';
import { submitPlanTool, submittedPlan } from './submit-plan.ts';

/** A plan that a person approves; carrying it out is a fix of its own that follows it. */
export function createPlanJob({ config }: JobRequest): Job {
  let kernel: Context | undefined;
  let agent: Agent | undefined;
  let result: JobResult = { produced: { kind: 'nothing' }, summary: '', verify: [] };
  // The session may have carried out a plan before.
  const plan = () => submittedPlan(sinceJobBegan(agent?.session.events ?? []));
  return {
    mode: 'read-only',
    tools: [submitPlanTool(() => kernel!)],
    get isSubmitted() {
      const state = plan()?.state;
      return state === 'approved' || state === 'posted';
    },
    get result() {
      return result;
    },
    begin: (ctx, live) => {
      kernel = ctx;
      agent = live;
    },
    target: (subject) => readingTarget(subject, config),
    contexts: async (subject) => threadContexts(subject.thread),
    conclude: async ({ agent: { session } }) => {
      const submitted = plan();
      const text = submitted?.plan ?? lastText(session.events);
      const approved = submitted?.state === 'approved';
      result = { produced: { kind: 'plan', text, approved }, summary: text, verify: [] };
      return { action: 'stop' };
    },
  };
}
