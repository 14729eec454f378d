import type { Checkout } from '../../github/git/checkout.ts';
import type { Thread } from '../../github/threads.ts';
import { branchStem } from '../../github/branch-name.ts';
import type { CheckoutTarget } from '../../github/git/resolve-target.ts';
import { findOwnPull } from '../../publish/pull-request/publish-pull-request.ts';
import type { Redactor } from '../../publish/redact.ts';
import { checkContexts } from '../context/check-contexts.ts';
import { concludeFix } from './conclude-fix.ts';
import type { Fix } from './fix-state.ts';
import { reviewOwnChange } from '../gate/review-own-change.ts';
import type { JobRequest } from '../job/job.ts';
import type { Job } from '../job/job-kind.ts';
import type { Subject } from '../context/read-subject.ts';
import { threadContexts } from '../context/request-prompt.ts';
import { submitResultTool } from './submit-result.ts';

/** The main job: a change, verified, as a pull request or on the pull request it was asked on. */
export function createFixJob(request: JobRequest, redactor: Redactor): Job {
  const fix: Fix = {
    request,
    redactor,
    submitted: undefined,
    own: undefined,
    rounds: 0,
    isSandboxGone: false,
    conflict: undefined,
    checkout: undefined,
    threadText: '',
    reviewed: new Set(),
    sentTestsBack: false,
    sentMarkersBack: false,
    moves: [],
    result: { produced: { kind: 'nothing' }, summary: '', verify: [] },
  };
  return {
    mode: 'workspace-write',
    tools: [
      submitResultTool({
        review: (result, signal) => reviewOwnChange(fix, result, signal),
        accept: (accepted) => (fix.submitted = accepted),
      }),
    ],
    get isSubmitted() {
      return fix.submitted !== undefined;
    },
    takeBack: () => (fix.submitted = undefined),
    get result() {
      return fix.result;
    },
    target: (subject, taken) => startOf(subject, fix, taken),
    contexts: async (subject, checkout) => {
      fix.checkout = checkout;
      fix.threadText = textOf(subject.thread);
      if (request.local) return [];
      return [...threadContexts(subject.thread), ...(await checkContexts(request, subject.thread))];
    },
    conclude: (workplace) => concludeFix(workplace, fix),
  };
}

function textOf({ title, body, comments }: Thread): string {
  return [title, body, ...comments.map((comment) => comment.body)].join('\n');
}

/** A pull request's head, else the branch of our own open pull request, else the base. */
async function startOf(subject: Subject, fix: Fix, taken: Pick<Checkout, 'ref'> | undefined): Promise<CheckoutTarget> {
  const { access, config, session, signal, local } = fix.request;
  if (local) return { kind: 'commit', sha: local.headSha };
  if (subject.pull) {
    return { kind: 'pull', number: subject.number, baseBranch: subject.pull.baseRef, headSha: subject.pull.headSha };
  }
  const { prefix } = config.branch;
  const wanted = { session, prefix, stem: branchStem(subject, prefix), ownLogin: access.ownLogin };
  fix.own = await findOwnPull(access.github, access.repo, wanted, signal);
  // One that was only just made belongs to this very turn, which is gone on with from before it.
  if (taken && taken.ref !== `refs/heads/${fix.own?.branch}`) fix.own = undefined;
  const baseBranch = config.pull.base ?? subject.repository.defaultBranch;
  if (fix.own) return { kind: 'branch', branch: fix.own.branch, sha: fix.own.headSha, baseBranch };
  return { kind: 'branch', branch: baseBranch };
}
