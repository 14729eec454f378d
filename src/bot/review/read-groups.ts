import { z } from 'zod';
import type { StructuredOutputSchema } from '../../harness/tools/output-schema.ts';
import { EVIDENCE, Finding, SEVERITIES } from '../../publish/review/finding.ts';
import { missingInFinding } from '../../publish/review/check-finding.ts';
import { knownPath } from '../../publish/review/known-path.ts';
import { dataBlock } from '../context/data-block.ts';
import { MAX_BODY_CHARS, keepHead, maxDiffChars } from '../context/data-limits.ts';
import type { FileGroup } from './group-files.ts';
import { inParallel } from '../job/in-parallel.ts';
import type { Workplace } from '../job/job-kind.ts';
import { lastText } from '../telling/last-text.ts';
import { GROUP_READER } from '../prompts/group-reader.ts';
import { CHILDREN_AT_ONCE, runReviewChild } from './review-child.ts';
import type { Review } from './review-state.ts';
import { showDiff } from './show-diff.ts';

const Report = z.object({ findings: z.array(z.unknown()), summary: z.string() });

/** Others read what the first reader was not shown (R8), or read it once more (PR48); what they say of it is for the verdict. */
export async function readGroups(workplace: Workplace, review: Review, groups: readonly FileGroup[]): Promise<string> {
  const shared = sharedText(workplace, review);
  const said = await inParallel(groups, CHILDREN_AT_ONCE, (group, othersMayFollow) =>
    readGroup(workplace, review, { group, shared, label: `reader ${groups.indexOf(group) + 2}` }, othersMayFollow),
  );
  return said.map((summary, at) => `Reader ${at + 2}: ${summary}`).join('\n\n');
}

/** Far more than a part needs: one that finds no end must not spend what the others' findings are posted with. */
const MAX_STEPS = 60;

interface GroupTask {
  readonly group: FileGroup;
  readonly shared: string;
  readonly label: string;
}

async function readGroup(
  workplace: Workplace,
  review: Review,
  { group, shared, label }: GroupTask,
  othersMayFollow: () => void,
): Promise<string> {
  const { text, cut } = showDiff(group.files, maxDiffChars(review.request.config.workingWindow));
  const prompt = [shared, dataBlock({ kind: 'diff', text }).text, 'Review the files of this diff.'].join('\n\n');
  const task = { persona: GROUP_READER, prompt, schema: SCHEMA, label, maxSteps: MAX_STEPS };
  const answer = await runReviewChild(workplace, task, othersMayFollow);
  const paths = [...new Set(group.files.map(({ path }) => path))];
  const report = Report.safeParse(answer.value);
  if (!report.success) {
    review.limits.push(`${label} came to no end, so nobody reviewed: ${listed(paths)}.`);
    return 'came to no end.';
  }
  review.readers.push({
    findings: report.data.findings.flatMap((raw) => {
      const parsed = Finding.safeParse(raw);
      if (!parsed.success || missingInFinding(parsed.data, review.input!.headPaths)) return [];
      const path = knownPath(parsed.data.path, review.input!.headPaths);
      return [review.redactor.redactAll({ ...parsed.data, path })];
    }),
    commands: answer.commands,
  });
  review.attention.push(`${label} read: ${listed(paths)}.`);
  if (cut.length > 0) review.limits.push(`Too large to be shown whole to ${label}: ${listed(cut)}.`);
  return report.data.summary;
}

/** The same for all, and so in front: what the change says it is, all its files, and what the first reader made of it. */
function sharedText({ subject, agent }: Workplace, { input }: Review): string {
  const { title, body, author } = subject.thread;
  const files = input!.files.map(
    ({ path, status, additions, deletions }) => `${path} ${status} +${additions} -${deletions}`,
  );
  const about = {
    kind: 'pull-request',
    title,
    author: author.login,
    text: keepHead(body, MAX_BODY_CHARS, 'cut here'),
  } as const;
  return [
    dataBlock(about).text,
    dataBlock({
      kind: 'setup',
      title: 'All changed files',
      text: keepHead(files.join('\n'), MAX_BODY_CHARS, 'cut here'),
    }).text,
    dataBlock({
      kind: 'comment',
      title: 'What the first reader says of the change',
      text: lastText(agent.session.events),
    }).text,
  ].join('\n\n');
}

const SHOWN_PATHS = 30;

export function listed(paths: readonly string[]): string {
  const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : '';
  return `${paths.slice(0, SHOWN_PATHS).join(', ')}${more}`;
}

const text = { type: 'string' } as const;
const number = { type: 'integer' } as const;
const FINDING_SCHEMA = {
  type: 'object' as const,
  additionalProperties: false,
  required: [
    'path',
    'side',
    'startLine',
    'endLine',
    'severity',
    'confidence',
    'title',
    'body',
    'scenario',
    'evidence',
    'proof',
  ],
  properties: {
    ...{ path: text, startLine: number, endLine: number, title: text, body: text, scenario: text, proof: text },
    side: { type: 'string' as const, enum: ['LEFT', 'RIGHT'] },
    severity: { type: 'string' as const, enum: [...SEVERITIES] },
    evidence: { type: 'string' as const, enum: [...EVIDENCE] },
    confidence: { type: 'number' as const },
    ...{ code: text, suggestion: text },
  },
};
const SCHEMA: StructuredOutputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['findings', 'summary'],
  properties: { findings: { type: 'array', items: FINDING_SCHEMA }, summary: text },
};
