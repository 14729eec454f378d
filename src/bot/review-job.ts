import { matchesGlob } from 'node:path';
import type { ContinuationDecision } from '../harness/agent/types.ts';
import { diffCommits } from '../github/git/diff-commits.ts';
import { parseGitDiff } from '../github/diff/parse-git-diff.ts';
import type { DiffFile } from '../github/diff/types.ts';
import { readPullDiff } from '../github/pull-diff.ts';
import type { PullDiff } from '../github/pull-diff.ts';
import type { Checkout } from '../github/git/checkout.ts';
import { mergeBase } from '../github/git/merge-base.ts';
import type { Finding } from '../publish/finding.ts';
import { reviewMarker } from '../publish/markers.ts';
import { planReview } from '../publish/plan-review.ts';
import { publishReview } from '../publish/publish-review.ts';
import type { Redactor } from '../publish/redact.ts';
import { dataBlock } from './data-block.ts';
import { MAX_DIFF_CHARS, keepHead } from './data-limits.ts';
import type { JobRequest } from './job.ts';
import type { Job, JobResult, Workplace } from './job-kind.ts';
import { lastText } from './last-text.ts';
import { readBaseFile } from './read-base-files.ts';
import { prefixContext, threadContexts } from './request-prompt.ts';
import { reportFindingTool } from './report-finding.ts';
import { showDiff } from './show-diff.ts';

/** A review: the diff is read, findings are reported by tool, and one review is posted when the model gives its verdict. */
export function createReviewJob(request: JobRequest, redactor: Redactor): Job {
  const { access, config, session } = request;
  const findings: Finding[] = [];
  let diff: PullDiff | undefined;
  let result: JobResult = { produced: { kind: 'nothing' }, summary: '', verify: [] };

  const conclude = async (workplace: Workplace): Promise<ContinuationDecision> => {
    const { checkout, agent, signal, subject, turn } = workplace;
    const { reviewed, ignored } = splitIgnored(diff?.files ?? [], config.review.ignore);
    const verdict = redactor.redact(lastText(agent.session.events));
    const plan = planReview(findings, {
      session,
      headSha: checkout.headSha,
      files: reviewed,
      headFile: await readHeadFiles(checkout, findings),
      verdict,
      limits: [...(diff?.notes ?? []), ...ignored.map((file) => `${file.path} was left out by configuration.`)],
      minConfidence: config.review.minConfidence,
      maxComments: config.review.maxComments,
      blocking: config.review.blocking,
    });
    const redacted = { ...plan, body: redactor.redact(plan.body), comments: plan.comments.map((comment) => ({ ...comment, body: redactor.redact(comment.body) })) };
    const marker = reviewMarker(session, checkout.headSha);
    const posted = await publishReview(access.github, access.repo, { number: subject.number, plan: redacted, marker, ownLogin: access.ownLogin }, signal);
    agent.session.append('publish/done', { turn, what: 'review', id: posted.id, url: posted.url, sha: checkout.headSha });
    result = { produced: { kind: 'review', ...posted, findings: plan.findings }, summary: verdict, verify: [] };
    return { action: 'stop' };
  };

  return {
    mode: 'read-only',
    tools: [reportFindingTool((finding) => findings.push(finding))],
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
      const local = () => localDiff(checkout);
      diff = await readPullDiff(access.github, access.repo, subject.number, local, request.signal);
      const { reviewed } = splitIgnored(diff.files, config.review.ignore);
      const text = keepHead(showDiff(reviewed), MAX_DIFF_CHARS, 'read the files for the rest');
      return [...threadContexts(subject.thread), prefixContext(dataBlock({ kind: 'diff', text }))];
    },
    conclude,
  };
}

async function localDiff(checkout: Checkout): Promise<DiffFile[]> {
  const from = await mergeBase(checkout);
  return parseGitDiff(await diffCommits({ gitDir: checkout.gitDir }, from, checkout.headSha));
}

function splitIgnored(files: readonly DiffFile[], ignore: readonly string[]) {
  const isIgnored = (file: DiffFile) => ignore.some((pattern) => matchesGlob(file.path, pattern));
  return { reviewed: files.filter((file) => !isIgnored(file)), ignored: files.filter(isIgnored) };
}

/** The head's text of each file a finding names, read once. */
async function readHeadFiles(checkout: Checkout, findings: readonly Finding[]) {
  const paths = [...new Set(findings.map((finding) => finding.path))];
  const head = { gitDir: checkout.gitDir, sha: checkout.headSha };
  const texts = new Map(await Promise.all(paths.map(async (path) => [path, await readBaseFile(head, path)] as const)));
  return (path: string) => texts.get(path);
}
