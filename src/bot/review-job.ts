import { diffCommits } from '../github/git/diff-commits.ts';
import { parseGitDiff } from '../github/diff/parse-git-diff.ts';
import type { DiffFile } from '../github/diff/types.ts';
import { readPullDiff } from '../github/pull-diff.ts';
import type { Checkout } from '../github/git/checkout.ts';
import { mergeBase } from '../github/git/merge-base.ts';
import type { Finding } from '../publish/finding.ts';
import type { Redactor } from '../publish/redact.ts';
import { concludeReview } from './conclude-review.ts';
import type { ReviewedDiff } from './conclude-review.ts';
import { MAX_DIFF_CHARS } from './data-limits.ts';
import type { JobRequest } from './job.ts';
import type { Job, JobResult } from './job-kind.ts';
import type { Subject } from './read-subject.ts';
import { dataContext, threadContexts } from './request-prompt.ts';
import { reportFindingTool } from './report-finding.ts';
import { showDiff } from './show-diff.ts';
import { splitIgnored } from './split-ignored.ts';

/** A review: the diff is read, findings are reported by tool, and one review is posted when the model gives its verdict. */
export function createReviewJob(request: JobRequest, redactor: Redactor): Job {
  const findings: Finding[] = [];
  let diff: ReviewedDiff = { files: [], limits: [] };
  let result: JobResult = { produced: { kind: 'nothing' }, summary: '', verify: [] };
  return {
    mode: 'read-only',
    tools: [reportFindingTool((finding) => findings.push(redactor.redactAll(finding)))],
    isSubmitted: false,
    get result() {
      return result;
    },
    target: (subject) => ({
      kind: 'pull',
      number: subject.number,
      baseBranch: subject.pull?.baseRef ?? subject.repository.defaultBranch,
      headSha: subject.pull?.headSha,
    }),
    contexts: async (subject, checkout) => {
      const read = await readDiff(subject, checkout, request);
      diff = read;
      return [...threadContexts(subject.thread), dataContext({ kind: 'diff', text: read.text })];
    },
    conclude: async (workplace) => {
      result = await concludeReview(workplace, { request, redactor, findings, diff });
      return { action: 'stop' };
    },
  };
}

/** What is reviewed, how it is shown, and what the review has to say about the rest. */
async function readDiff(subject: Subject, checkout: Checkout, { access, config, signal }: JobRequest) {
  const whole = await readPullDiff(access.github, access.repo, subject.number, () => localDiff(checkout), signal);
  const { reviewed, ignored } = splitIgnored(whole.files, config.review.ignore);
  const { text, cut } = showDiff(reviewed, MAX_DIFF_CHARS);
  const limits = [
    ...whole.notes,
    ...ignored.map(({ path }) => `${path} was left out by configuration.`),
    ...cut.map((path) => `The diff of ${path} was too large to be shown whole.`),
  ];
  return { files: reviewed, limits, text };
}

async function localDiff(checkout: Checkout): Promise<DiffFile[]> {
  const from = await mergeBase(checkout);
  return parseGitDiff(await diffCommits({ gitDir: checkout.gitDir }, from, checkout.headSha));
}
