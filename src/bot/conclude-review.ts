import type { DiffFile } from '../github/diff/types.ts';
import type { Checkout } from '../github/git/checkout.ts';
import type { Finding } from '../publish/finding.ts';
import { reviewMarker } from '../publish/markers.ts';
import { planReview } from '../publish/plan-review.ts';
import { publishReview } from '../publish/publish-review.ts';
import type { Redactor } from '../publish/redact.ts';
import type { JobRequest } from './job.ts';
import type { JobResult, Workplace } from './job-kind.ts';
import { lastText } from './last-text.ts';
import { readBaseFile } from './read-base-files.ts';

export interface ReviewedDiff {
  readonly files: readonly DiffFile[];
  /** What was not looked at, and why. */
  readonly limits: readonly string[];
}
export interface ReviewWork {
  readonly request: JobRequest;
  readonly redactor: Redactor;
  /** Redacted as they came. */
  readonly findings: readonly Finding[];
  readonly diff: ReviewedDiff;
}

/** Places the findings and posts them with the verdict as one review (R5). */
export async function concludeReview(
  { checkout, agent, signal, subject, turn }: Workplace,
  work: ReviewWork,
): Promise<JobResult> {
  const { redactor, findings, diff } = work;
  const { access, config, session } = work.request;
  const { minConfidence, maxComments, blocking } = config.review;
  const verdict = redactor.redact(lastText(agent.session.events));
  const plan = planReview(findings, {
    session,
    headSha: checkout.headSha,
    files: diff.files,
    headFile: await readHeadFiles(checkout, findings),
    verdict,
    limits: redactor.redactAll(diff.limits),
    minConfidence,
    maxComments,
    blocking,
  });
  const marker = reviewMarker(session, checkout.headSha);
  const posted = await publishReview(
    access.github,
    access.repo,
    { number: subject.number, plan, marker, ownLogin: access.ownLogin },
    signal,
  );
  agent.session.append('publish/done', { turn, what: 'review', id: posted.id, url: posted.url, sha: checkout.headSha });
  return { produced: { kind: 'review', ...posted, findings: plan.findings }, summary: verdict, verify: [] };
}

/** The head's text of each file a finding names, read once. */
async function readHeadFiles(checkout: Checkout, findings: readonly Finding[]) {
  const paths = [...new Set(findings.map((finding) => finding.path))];
  const head = { gitDir: checkout.gitDir, sha: checkout.headSha };
  const texts = new Map(await Promise.all(paths.map(async (path) => [path, await readBaseFile(head, path)] as const)));
  return (path: string) => texts.get(path);
}
