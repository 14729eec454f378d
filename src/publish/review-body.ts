import { assembleBody } from './body.ts';
import type { BodyPart } from './body.ts';
import type { Finding } from './finding.ts';
import { inertInline } from './inert-line.ts';
import { ledgerMarker } from './ledger.ts';
import type { LedgerEntry } from './ledger.ts';
import { causeMarker, reviewMarker } from './markers.ts';
import type { PlacedFinding } from './place-finding.ts';
import type { ReviewFacts } from './plan-review.ts';

export interface ReviewParts {
  readonly findings: readonly PlacedFinding[];
  readonly inline: readonly PlacedFinding[];
  readonly ledger: readonly LedgerEntry[];
  readonly facts: ReviewFacts;
}

/** Lists beyond this help nobody, and could fill a body on their own. */
const SHOWN_ROWS = 100;
const SHOWN_EARLIER = 30;
const SHOWN_LIMITS = 50;
const SHOWN_PATH_CHARS = 200;

/** The review's own text (R5): verdict, table, what has no line of its own, what became of earlier findings, what was not looked at. Pure. */
export function reviewBody({ findings, inline, ledger, facts }: ReviewParts): string {
  const { verdict, limits, attention, session, headSha, cause, reviewedHead } = facts;
  const rest = findings.filter((placed) => !inline.includes(placed));
  const since = reviewedHead ? ` since ${reviewedHead.slice(0, 10)}` : '';
  return assembleBody([
    { kind: 'said', text: verdict || countText(findings.length) },
    ...(findings.length > 0 ? [markdown(table(findings))] : []),
    ...rest.map((placed) => saidFinding(placed.finding, facts)),
    ...earlierPart(
      'Still open from earlier reviews:',
      facts.earlier.filter(({ state }) => state === 'open'),
    ),
    ...earlierPart(
      `Fixed${since}:`,
      facts.earlier.filter(({ id }) => facts.fixedNow.has(id)),
    ),
    ...(limits.length + attention.length > 0 ? [markdown(limitsText([...limits, ...attention]))] : []),
    markdown([reviewMarker(session, headSha), causeMarker(cause), ledgerMarker(ledger)].join('\n')),
  ]);
}

/** `path:line`, harmless in our own Markdown. */
export function placeText({ path, startLine, endLine }: Pick<Finding, 'path' | 'startLine' | 'endLine'>): string {
  const shown = path.length > SHOWN_PATH_CHARS ? `…${path.slice(-SHOWN_PATH_CHARS)}` : path;
  return inertInline(startLine === endLine ? `${shown}:${startLine}` : `${shown}:${startLine}-${endLine}`);
}

function countText(count: number): string {
  return count === 0 ? 'No defects found.' : `${count} finding${count === 1 ? '' : 's'}.`;
}

function table(findings: readonly PlacedFinding[]): string {
  const rows = findings
    .slice(0, SHOWN_ROWS)
    .map(({ finding }) => `| ${finding.severity} | ${placeText(finding)} | ${inertInline(finding.title)} |`);
  const more = findings.length > SHOWN_ROWS ? [`| | | and ${findings.length - SHOWN_ROWS} more |`] : [];
  return ['| severity | place | finding |', '|---|---|---|', ...rows, ...more].join('\n');
}

function saidFinding(finding: Finding, { changedMeanwhile }: ReviewFacts): BodyPart {
  const moved = changedMeanwhile.has(finding.path) ? '; a push has changed this file since' : '';
  const lead = `**${finding.severity}: ${inertInline(finding.title)}** (${placeText(finding)}${moved})`;
  return { kind: 'said', lead, text: finding.body };
}

function earlierPart(heading: string, entries: readonly LedgerEntry[]): BodyPart[] {
  if (entries.length === 0) return [];
  const rows = entries.slice(0, SHOWN_EARLIER).map((entry) => {
    const { severity, path, line, title, fixedBy } = entry;
    const by = fixedBy ? ` by ${fixedBy}` : '';
    return `- ${severity}: ${inertInline(title)} (${placeText({ path, startLine: line, endLine: line })})${by}`;
  });
  const more = entries.length > SHOWN_EARLIER ? [`- and ${entries.length - SHOWN_EARLIER} more`] : [];
  return [markdown([heading, '', ...rows, ...more].join('\n'))];
}

function limitsText(limits: readonly string[]): string {
  const more = limits.length > SHOWN_LIMITS ? [`- and ${limits.length - SHOWN_LIMITS} more of these`] : [];
  return [...limits.slice(0, SHOWN_LIMITS).map((limit) => `- ${inertInline(limit)}`), ...more].join('\n');
}

function markdown(text: string): BodyPart {
  return { kind: 'markdown', text };
}
