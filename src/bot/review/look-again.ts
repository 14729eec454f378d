import { z } from 'zod';
import type { StructuredOutputSchema } from '../../harness/tools/output-schema.ts';
import type { DiffFile, DiffSide } from '../../github/diff/types.ts';
import type { Refutation } from '../../publish/review/weigh-refutation.ts';
import { citedPlaces } from '../../publish/review/cited-places.ts';
import { dataBlock } from '../context/data-block.ts';
import type { Workplace } from '../job/job-kind.ts';
import { REFUTER } from '../prompts/refuter.ts';
import { readBaseFile } from '../context/read-base-files.ts';
import { runReviewChild } from './review-child.ts';
import { showDiff } from './show-diff.ts';

/** What is looked at afresh: without its finder's reasons, severity and confidence. */
export interface Claim {
  readonly path: string;
  readonly side: DiffSide;
  readonly startLine: number;
  readonly endLine: number;
  readonly title: string;
  readonly scenario: string;
}

/** What it is looked at in: the diff, and the paths of the head. */
export interface LookedAt {
  readonly files: readonly DiffFile[];
  readonly paths: ReadonlySet<string>;
}

const MAX_STEPS = 12;
const MAX_PROOF_CHARS = 4_000;
/** The hunk is there to begin with; the tree holds the rest. */
const MAX_SHOWN_CHARS = 8_000;

const Verdict = z.object({
  verdict: z.enum(['refuted', 'confirmed', 'unclear']),
  reason: z.string(),
  proof: z.string().transform((text) => text.slice(0, MAX_PROOF_CHARS)),
});
const SCHEMA: StructuredOutputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['verdict', 'reason', 'proof'],
  properties: {
    verdict: { type: 'string', enum: ['refuted', 'confirmed', 'unclear'] },
    reason: { type: 'string', description: 'At most 60 words.' },
    proof: {
      type: 'string',
      description: 'The path:line that decides it, or the command in backticks and what it showed.',
    },
  },
};

/** A fresh child tries to break one claim (PR49). Undefined where it came to no verdict. */
export async function lookAgain(
  workplace: Workplace,
  claim: Claim,
  { files, paths }: LookedAt,
  othersMayFollow: () => void,
): Promise<Refutation | undefined> {
  const task = { persona: REFUTER, prompt: claimText(claim, files), schema: SCHEMA, maxSteps: MAX_STEPS };
  const answer = await runReviewChild(workplace, { ...task, label: `check: ${claim.title}` }, othersMayFollow);
  const parsed = Verdict.safeParse(answer.value);
  if (!parsed.success) return undefined;
  const lines = await linesOf(workplace, parsed.data.proof, paths);
  return { ...parsed.data, commands: answer.commands, lines };
}

/** All of it is data. */
function claimText({ path, startLine, endLine, side, title, scenario }: Claim, files: readonly DiffFile[]): string {
  const place = startLine === endLine ? `${path}:${startLine}` : `${path}:${startLine}-${endLine}`;
  const where = side === 'LEFT' ? `${place} (removed lines)` : place;
  const file = files.find((one) => one.path === path || one.previousPath === path);
  const near = file?.hunks.filter((hunk) => touches(hunk, side, startLine, endLine)) ?? [];
  const { text: hunk } = showDiff(file ? [{ ...file, hunks: near }] : [], MAX_SHOWN_CHARS);
  return [
    dataBlock({ kind: 'diff', path: where, text: hunk }).text,
    dataBlock({ kind: 'comment', title, text: `At ${where}. ${scenario}` }).text,
    'Check the claim of the second block.',
  ].join('\n\n');
}

function touches(hunk: DiffFile['hunks'][number], side: 'LEFT' | 'RIGHT', first: number, last: number): boolean {
  const [start, count] = side === 'LEFT' ? [hunk.oldStart, hunk.oldLines] : [hunk.newStart, hunk.newLines];
  return first < start + count && last >= start;
}

/** How many lines the files have that the proof cites, as far as the head holds them. */
async function linesOf(
  { checkout, signal }: Workplace,
  proof: string,
  paths: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const head = { gitDir: checkout.gitDir, sha: checkout.headSha, signal };
  const cited = [...new Set(citedPlaces(proof, (path) => paths.has(path)).map(({ path }) => path))].slice(0, 20);
  const counted = await Promise.all(
    cited.map(async (path) => [path, (await readBaseFile(head, path))?.split('\n').length] as const),
  );
  return new Map(counted.flatMap(([path, count]) => (count === undefined ? [] : [[path, count] as const])));
}
