import type { BodyPart } from '../publish/body.ts';
import { inertInline } from '../publish/inert-line.ts';
import { verifyText } from '../publish/plan-pull-request.ts';
import type { Ending } from '../publish/progress.ts';
import type { JobOutcome, Problem, Produced } from './job.ts';
import type { KeptWork } from './kept-work.ts';

/** What the progress comment becomes at the end (P5): what was done, where it is, how it was checked, what is left. Pure. */
export function describeEnding(outcome: JobOutcome): Ending {
  return { state: STATES[outcome.status], parts: describeOutcome(outcome) };
}

export function describeOutcome(outcome: JobOutcome): BodyPart[] {
  const { produced, problem, verify, patch } = outcome;
  const changed = ['pull-request', 'commit', 'patch', 'branch', 'suggestions', 'local-branch'].includes(produced.kind);
  return [
    ...producedParts(outcome),
    ...(problem ? problemParts(problem) : []),
    ...(outcome.kept ? keptParts(outcome.kept) : []),
    ...(changed ? [{ kind: 'markdown', text: verifyText(verify) } as const] : []),
    ...(patch
      ? [
          {
            kind: 'folded',
            summary: 'Changes to workflows, to be applied by a person',
            text: patch,
            language: 'diff',
          } as const,
        ]
      : []),
    ...surroundings(outcome),
  ];
}

const STATES = { completed: 'done', parked: 'waiting', stopped: 'stopped', failed: 'failed' } as const;

function localBranchText({ branch, commitSha }: Extract<Produced, { kind: 'local-branch' }>): string {
  return `The branch \`${branch}\` (${commitSha.slice(0, 10)}) holds the change: \`git diff HEAD...${branch}\` shows it, \`git merge ${branch}\` takes it.`;
}

const APPROVED = 'The plan was approved: it is carried out next.';
const NOT_APPROVED = 'To carry it out, write `/dsh fix`; to change it, write `/dsh plan` with what to change.';

function producedParts({ produced, summary, status }: JobOutcome): BodyPart[] {
  const said: BodyPart[] = summary ? [{ kind: 'said', text: summary }] : [];
  switch (produced.kind) {
    case 'pull-request':
      return [{ kind: 'markdown', text: pullRequestLine(produced) }, ...said];
    case 'commit':
      return [
        {
          kind: 'markdown',
          text: `Committed [${produced.commitSha.slice(0, 10)}](${produced.url}) to \`${produced.branch}\`.`,
        },
        ...said,
      ];
    case 'patch':
      return [
        ...said,
        {
          kind: 'folded',
          summary: 'The change as a patch (this branch takes no push of ours)',
          text: produced.diff,
          language: 'diff',
        },
      ];
    case 'local-branch':
      return [{ kind: 'markdown', text: localBranchText(produced) }, ...said];
    case 'suggestions':
      return [
        {
          kind: 'markdown',
          text: `This branch takes no push of ours: the change is [${produced.count} suggestion${produced.count === 1 ? '' : 's'}](${produced.url}) to commit.`,
        },
        ...said,
      ];
    case 'branch':
      return [
        {
          kind: 'markdown',
          text: `Saved [${produced.commitSha.slice(0, 10)}](${produced.url}) on \`${produced.branch}\`. ${inertInline(produced.why)}`,
        },
        ...said,
      ];
    case 'review':
      return [{ kind: 'markdown', text: `[Review](${produced.url}) with ${count(produced.findings.length)}.` }];
    case 'findings':
      return [
        { kind: 'markdown', text: 'This token may not post a review; it stands here.' },
        { kind: 'markdown', text: produced.body },
      ];
    case 'answer':
      return [{ kind: 'said', text: produced.text }];
    case 'plan':
      return [
        { kind: 'said', text: produced.text },
        { kind: 'markdown', text: produced.approved ? APPROVED : NOT_APPROVED },
      ];
    case 'nothing':
      return status === 'completed' ? [{ kind: 'markdown', text: 'There is no change to publish.' }, ...said] : said;
  }
}

function pullRequestLine({ number, url, draft, title }: Extract<Produced, { kind: 'pull-request' }>): string {
  const what = draft ? 'Draft pull request' : 'Pull request';
  return `${what} [#${number}](${url}): ${inertInline(title)}`;
}

function problemParts({ message, hint }: Problem): BodyPart[] {
  return [
    { kind: 'said', text: message },
    ...(hint ? [{ kind: 'said', text: `**What to do:** ${hint}` } as const] : []),
  ];
}

/** Where the changes of a turn are that published nothing (U8). */
function keptParts(kept: KeptWork): BodyPart[] {
  switch (kept.kind) {
    case 'snapshot':
      return [{ kind: 'markdown', text: 'The changes so far are kept: `/dsh retry` goes on from them.' }];
    case 'patch':
      return [{ kind: 'folded', summary: 'The changes so far, as a patch', text: kept.diff, language: 'diff' }];
    case 'lost':
      return [{ kind: 'said', text: `The changes so far could not be kept: ${kept.why}` }];
  }
}

/** What kept the job from more: no dependencies, no network. */
function surroundings({ setupProblem, refused }: JobOutcome): BodyPart[] {
  const hosts = refused
    .slice(0, MAX_HOSTS)
    .map(({ host, port, reason }) => `\`${host}${port === 443 ? '' : `:${port}`}\` (${reason})`);
  const more = refused.length > hosts.length ? [`${refused.length - hosts.length} more`] : [];
  return [
    ...(setupProblem ? [{ kind: 'markdown', text: inertInline(setupProblem) } as const] : []),
    ...(refused.length > 0
      ? [{ kind: 'markdown', text: `The network refused: ${[...hosts, ...more].join(', ')}.` } as const]
      : []),
  ];
}

const MAX_HOSTS = 10;

function count(findings: number): string {
  return findings === 0 ? 'no findings' : `${findings} finding${findings === 1 ? '' : 's'}`;
}
