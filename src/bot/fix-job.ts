import type { CheckoutTarget } from '../github/git/resolve-target.ts';
import { findOwnPull } from '../publish/publish-pull-request.ts';
import type { Redactor } from '../publish/redact.ts';
import { concludeFix } from './conclude-fix.ts';
import type { Fix } from './fix-state.ts';
import type { JobRequest } from './job.ts';
import type { Job } from './job-kind.ts';
import type { Subject } from './read-subject.ts';
import { threadContexts } from './request-prompt.ts';
import { submitResultTool } from './submit-result.ts';

/** The main job: a change, verified, as a pull request or on the pull request it was asked on. */
export function createFixJob(request: JobRequest, redactor: Redactor): Job {
  const fix: Fix = {
    request,
    redactor,
    submitted: undefined,
    own: undefined,
    rounds: 0,
    result: { produced: { kind: 'nothing' }, summary: '', verify: [] },
  };
  return {
    mode: 'workspace-write',
    tools: [submitResultTool((accepted) => (fix.submitted = accepted))],
    get isSubmitted() {
      return fix.submitted !== undefined;
    },
    get result() {
      return fix.result;
    },
    target: (subject) => startOf(subject, fix),
    contexts: async (subject) => threadContexts(subject.thread),
    conclude: (workplace) => concludeFix(workplace, fix),
  };
}

/** A pull request's head, else the branch of our own open pull request, else the base. */
async function startOf(subject: Subject, fix: Fix): Promise<CheckoutTarget> {
  const { access, config, session, signal } = fix.request;
  if (subject.pull) {
    return { kind: 'pull', number: subject.number, baseBranch: subject.pull.baseRef, headSha: subject.pull.headSha };
  }
  fix.own = await findOwnPull(access.github, access.repo, { session, prefix: config.branch.prefix }, signal);
  if (fix.own) return { kind: 'branch', branch: fix.own.branch, sha: fix.own.headSha };
  return { kind: 'branch', branch: config.pull.base ?? subject.repository.defaultBranch };
}
