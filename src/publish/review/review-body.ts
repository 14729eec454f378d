import { assembleBody } from '../markdown/body.ts';
import type { BodyPart } from '../markdown/body.ts';
import type { Finding } from './finding.ts';
import { inertInline } from '../markdown/inert-line.ts';
import { ledgerMarker } from './ledger.ts';
import type { LedgerEntry } from './ledger.ts';
import { causeMarker, PART_MARKER, reviewMarker } from '../markers.ts';
import type { PlacedFinding } from './place-finding.ts';
import type { ReviewFacts } from './plan-review.ts';

export interface ReviewParts {
  readonly findings: readonly PlacedFinding[];
  readonly inline: readonly PlacedFinding[];
  readonly ledger: readonly LedgerEntry[];
  readonly facts: ReviewFacts;
}

/** Lists beyond this help nobody; their characters are bounded, too, since none of our own Markdown is ever cut. */
const TABLE = { rows: 100, chars: 16_000 };
const EARLIER = { rows: 30, chars: 6_000 };
const LIMITS = { rows: 50, chars: 10_000 };
/** Far more than anybody reads; each is slow to make harmless. */
const MAX_SAID = 100;
const SHOWN_PATH_CHARS = 200;
const SHOWN_LIMIT_CHARS = 1_500;

/** The review's own text (R5): verdict, table, what has no line of its own, what became of earlier findings, what was not looked at. Pure. */
export function reviewBody({ findings, inline, ledger, facts }: ReviewParts): string {
  const { verdict, limits, attention, session, headSha, cause, reviewedHead } = facts;
  const rest = findings.filter((placed) => !inline.includes(placed));
  const since = reviewedHead ? ` since ${reviewedHead.slice(0, 10)}` : '';
  return assembleBody([
    { kind: 'said', text: verdict || countText(findings.length) },
    ...(findings.length > 0 ? [markdown(table(findings))] : []),
    ...rest.slice(0, MAX_SAID).map((placed) => saidFinding(placed.finding, facts)),
    ...(rest.length > MAX_SAID ? [markdown(`${rest.length - MAX_SAID} more findings are not told here.`)] : []),
    ...earlierPart(
      'Still open from earlier reviews:',
      facts.earlier.filter(({ state }) => state === 'open'),
    ),
    ...earlierPart(
      `Fixed${since}:`,
      facts.earlier.filter(({ id }) => facts.fixedNow.has(id)),
    ),
    ...(limits.length + attention.length > 0 ? [markdown(limitsText([...attention, ...limits]))] : []),
    markdown(
      [
        reviewMarker(session, headSha),
        causeMarker(cause),
        ...(facts.isPart ? [PART_MARKER] : []),
        ledgerMarker(ledger),
      ].join('\n'),
    ),
  ]);
}

/** `path:line`, harmless in our own Markdown. */
export function placeText({ path, startLine, endLine }: Pick<Finding, 'path' | 'startLine' | 'endLine'>): string {
  const shown =
    path.length > SHOWN_PATH_CHARS ? `…${path.slice(-SHOWN_PATH_CHARS).replace(/^[\udc00-\udfff]/, '')}` : path;
  return inertInline(startLine === endLine ? `${shown}:${startLine}` : `${shown}:${startLine}-${endLine}`);
}

function countText(count: number): string {
  return count === 0 ? 'No defects found.' : `${count} finding${count === 1 ? '' : 's'}.`;
}

function table(findings: readonly PlacedFinding[]): string {
  const rows = findings.map(
    ({ finding }) => `| ${finding.severity} | ${placeText(finding)} | ${inertInline(finding.title)} |`,
  );
  const shown = bounded(rows, TABLE, (left) => `| | | and ${left} more |`);
  return ['| severity | place | finding |', '|---|---|---|', ...shown].join('\n');
}

function saidFinding(finding: Finding, { changedMeanwhile }: ReviewFacts): BodyPart {
  const moved = changedMeanwhile.has(finding.path) ? '; a push has changed this file since' : '';
  const lead = `**${finding.severity}: ${inertInline(finding.title)}** (${placeText(finding)}${moved})`;
  return { kind: 'said', lead, text: finding.body };
}

function earlierPart(heading: string, entries: readonly LedgerEntry[]): BodyPart[] {
  if (entries.length === 0) return [];
  const rows = entries.map(({ severity, path, line, title, fixedBy }) => {
    const by = fixedBy ? ` by ${fixedBy}` : '';
    return `- ${severity}: ${inertInline(title)} (${placeText({ path, startLine: line, endLine: line })})${by}`;
  });
  return [markdown([heading, '', ...bounded(rows, EARLIER, (left) => `- and ${left} more`)].join('\n'))];
}

function limitsText(limits: readonly string[]): string {
  const rows = limits.map((limit) => `- ${inertInline(limit.slice(0, SHOWN_LIMIT_CHARS))}`);
  return bounded(rows, LIMITS, (left) => `- and ${left} more of these`).join('\n');
}

/** The first of these that fit, and how many do not. */
function bounded(
  rows: readonly string[],
  most: { readonly rows: number; readonly chars: number },
  more: (left: number) => string,
): string[] {
  let chars = 0;
  const end = rows.findIndex((row, at) => at >= most.rows || (chars += row.length + 2) > most.chars);
  return end < 0 ? [...rows] : [...rows.slice(0, end), more(rows.length - end)];
}

function markdown(text: string): BodyPart {
  return { kind: 'markdown', text };
}
