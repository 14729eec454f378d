import type { BodyPart } from '../../publish/markdown/body.ts';
import { inertInline } from '../../publish/markdown/inert-line.ts';
import { verifyText } from '../../publish/pull-request/plan-pull-request.ts';
import type { Language } from '../../publish/language.ts';
import type { Ending } from '../../publish/progress/progress.ts';
import { ENDING_TEXTS } from './ending-texts.ts';
import type { EndingTexts } from './ending-texts.ts';
import type { JobOutcome, Problem, Produced } from '../job/job.ts';
import type { KeptWork } from '../fix/kept-work.ts';

/** What the progress comment becomes at the end (P5): what was done, where it is, how it was checked, what is left. Pure. */
export function describeEnding(outcome: JobOutcome, language: Language = 'en'): Ending {
  return { state: STATES[outcome.status], parts: describeOutcome(outcome, language) };
}

export function describeOutcome(outcome: JobOutcome, language: Language = 'en'): BodyPart[] {
  const texts = ENDING_TEXTS[language];
  const { produced, problem, verify, patch } = outcome;
  const changed = ['pull-request', 'commit', 'patch', 'branch', 'suggestions', 'local-branch'].includes(produced.kind);
  return [
    ...producedParts(outcome, texts),
    ...(problem ? problemParts(problem, texts) : []),
    ...(outcome.kept ? keptParts(outcome.kept, texts) : []),
    ...(changed ? [{ kind: 'markdown', text: verifyText(verify) } as const] : []),
    ...(patch
      ? [
          {
            kind: 'folded',
            summary: texts.leftOut,
            text: patch,
            language: 'diff',
          } as const,
        ]
      : []),
    ...surroundings(outcome, texts),
  ];
}

const STATES = { completed: 'done', parked: 'waiting', stopped: 'stopped', failed: 'failed' } as const;

function commitLink({ commitSha, url }: { readonly commitSha: string; readonly url: string }): string {
  return `[${commitSha.slice(0, 10)}](${url})`;
}

function producedParts({ produced, summary, status }: JobOutcome, texts: EndingTexts): BodyPart[] {
  const said: BodyPart[] = summary ? [{ kind: 'said', text: summary }] : [];
  switch (produced.kind) {
    case 'pull-request':
      return [{ kind: 'markdown', text: pullRequestLine(produced, texts) }, ...said];
    case 'commit':
      return [{ kind: 'markdown', text: texts.committed(commitLink(produced), produced.branch) }, ...said];
    case 'patch':
      return [
        ...said,
        {
          kind: 'folded',
          summary: texts.patch,
          text: produced.diff,
          language: 'diff',
        },
      ];
    case 'local-branch':
      return [{ kind: 'markdown', text: texts.localBranch(produced.branch, produced.commitSha.slice(0, 10)) }, ...said];
    case 'suggestions':
      return [{ kind: 'markdown', text: texts.suggestions(produced.count, produced.url) }, ...said];
    case 'branch':
      return [
        {
          kind: 'markdown',
          text: texts.saved(commitLink(produced), produced.branch, inertInline(produced.why)),
        },
        ...said,
      ];
    case 'review':
      return [{ kind: 'markdown', text: texts.review(produced.url, produced.findings.length) }];
    case 'findings':
      return [
        { kind: 'markdown', text: texts.mayNotReview },
        { kind: 'markdown', text: produced.body },
      ];
    case 'answer':
      return [{ kind: 'said', text: produced.text }];
    case 'plan':
      return [
        { kind: 'said', text: produced.text },
        { kind: 'markdown', text: produced.approved ? texts.planApproved : texts.planNotApproved },
      ];
    case 'nothing':
      return status === 'completed' ? [{ kind: 'markdown', text: texts.nothing }, ...said] : said;
  }
}

function pullRequestLine(
  { number, url, draft, title }: Extract<Produced, { kind: 'pull-request' }>,
  texts: EndingTexts,
): string {
  return texts.pull(draft, `[#${number}](${url})`, inertInline(title));
}

function problemParts({ message, hint }: Problem, texts: EndingTexts): BodyPart[] {
  return [
    { kind: 'said', text: message },
    ...(hint ? [{ kind: 'said', text: `**${texts.whatToDo}:** ${hint}` } as const] : []),
  ];
}

/** Where the changes of a turn are that published nothing (U8). */
function keptParts(kept: KeptWork, texts: EndingTexts): BodyPart[] {
  switch (kept.kind) {
    case 'snapshot':
      return [{ kind: 'markdown', text: texts.kept }];
    case 'patch':
      return [{ kind: 'folded', summary: texts.keptPatch, text: kept.diff, language: 'diff' }];
    case 'lost':
      return [{ kind: 'said', text: texts.lost(kept.why) }];
  }
}

/** What kept the job from more: no dependencies, no network. */
function surroundings({ setupProblem, refused }: JobOutcome, texts: EndingTexts): BodyPart[] {
  const hosts = refused
    .slice(0, MAX_HOSTS)
    .map(({ host, port, reason }) => `\`${host}${port === 443 ? '' : `:${port}`}\` (${reason})`);
  const more = refused.length > hosts.length ? [texts.more(refused.length - hosts.length)] : [];
  return [
    ...(setupProblem ? [{ kind: 'markdown', text: inertInline(setupProblem) } as const] : []),
    ...(refused.length > 0
      ? [{ kind: 'markdown', text: texts.refusedHosts([...hosts, ...more].join(', ')) } as const]
      : []),
  ];
}

const MAX_HOSTS = 10;
