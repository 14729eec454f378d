import type { Redactor } from '../../publish/redact.ts';
import type { LogFailure } from '../../publish/review/settle-threads.ts';
import { concludeReview } from './conclude-review.ts';
import { maxDiffChars } from '../context/data-limits.ts';
import { groupFiles } from './group-files.ts';
import type { JobRequest } from '../job/job.ts';
import type { Job } from '../job/job-kind.ts';
import { hostContext, dataContext, threadContexts } from '../context/request-prompt.ts';
import { reportFindingTool } from './report-finding.ts';
import { MAX_CHILDREN } from './review-child.ts';
import { earlierContexts, readReviewInput } from './review-input.ts';
import type { ReviewInput } from './review-input.ts';
import type { Review } from './review-state.ts';
import { showDiff } from './show-diff.ts';
import { endWhenSuperseded } from './superseded.ts';

/** A review: the diff is read, findings are reported by tool, and one review is posted when the model gives its verdict. */
export function createReviewJob(request: JobRequest, redactor: Redactor, log: LogFailure): Job {
  const first = { findings: [], commands: [] };
  const review: Review = {
    ...{ request, redactor, log, input: undefined, groups: [], othersHaveRead: false },
    ...{ readers: [first], attention: [], limits: [] },
    result: { produced: { kind: 'nothing' }, summary: '', verify: [] },
    looks: { startedAt: performance.now(), lastMs: 0, isSuperseded: false },
  };
  const head = { has: (path: string) => review.input?.headPaths.has(path) ?? false };
  return {
    mode: 'read-only',
    tools: [reportFindingTool(head, (finding) => review.readers[0]!.findings.push(redactor.redactAll(finding)))],
    isSubmitted: false,
    get result() {
      return review.result;
    },
    target: (subject) => ({
      kind: 'pull',
      number: subject.number,
      baseBranch: subject.pull?.baseRef ?? subject.repository.defaultBranch,
      headSha: subject.pull?.headSha,
    }),
    contexts: async (subject, checkout) => {
      const input = await readReviewInput(subject, checkout, request);
      review.input = input;
      return [
        ...threadContexts(subject.thread),
        ...earlierContexts(input.history, request.access.ownLogin),
        ...diffContexts(review, input),
      ];
    },
    begin: (_ctx, agent) => endWhenSuperseded(agent, review),
    conclude: (workplace) => concludeReview(workplace, review),
  };
}

/** What the first reader gets; of a change that is too large for one, the part that deserves attention first (R8). */
function diffContexts(review: Review, { files, isPush }: ReviewInput) {
  const maxChars = maxDiffChars(review.request.config.workingWindow);
  const { groups, unread } = groupFiles(files, { maxChars, maxGroups: 1 + MAX_CHILDREN / 2 });
  review.groups = groups;
  review.limits.push(...unread.map(({ path }) => `${path} was not looked at: the change is too large.`));
  const { text, cut } = showDiff(groups.length > 1 ? groups[0]!.files : files, maxChars);
  review.limits.push(...cut.map((path) => `The diff of ${path} was too large to be shown whole.`));
  return [
    ...(isPush
      ? [
          hostContext(
            note(`Only what was pushed since the last review is shown; what was there before has been reviewed.`),
          ),
        ]
      : []),
    ...(groups.length > 1 ? [hostContext(note(tooLarge(groups.length, files.length)))] : []),
    dataContext({ kind: 'diff', text }),
  ];
}

function tooLarge(readers: number, files: number): string {
  return `The change has ${files} files and is too large for one reader: you see the first of ${readers} parts, others read the rest after you. When you are done with your part, say in at most 200 words what the change as a whole does as far as you can see, for those others; you will be asked for the verdict once they are done.`;
}

function note(text: string): string {
  return `<host-note>\n${text}\n</host-note>`;
}
