import type { DiffFile } from '../github/diff/types.ts';
import { assembleBody } from './body.ts';
import type { BodyPart } from './body.ts';
import { SEVERITIES } from './finding.ts';
import type { Finding } from './finding.ts';
import { fenced } from './fenced.ts';
import { inertInline } from './inert-line.ts';
import { reviewMarker } from './markers.ts';
import { placeFinding } from './place-finding.ts';
import type { PlacedFinding } from './place-finding.ts';
import { provenSuggestion } from './prove-suggestion.ts';

export interface ReviewFacts {
  readonly session: string;
  readonly headSha: string;
  readonly files: readonly DiffFile[];
  /** Text of a file at the head; undefined where there is none. */
  readonly headFile: (path: string) => string | undefined;
  readonly verdict: string;
  /** Why the diff is not all of it, what was left out: said in the body. */
  readonly limits: readonly string[];
  readonly minConfidence: number;
  readonly maxComments: number;
  readonly blocking: boolean;
}

/** What `POST /repos/{owner}/{repo}/pulls/{number}/reviews` takes. */
export interface ReviewPlan {
  readonly event: 'COMMENT' | 'REQUEST_CHANGES';
  readonly commitId: string;
  readonly body: string;
  readonly comments: readonly ReviewComment[];
  readonly findings: readonly PlacedFinding[];
}
export interface ReviewComment {
  readonly path: string;
  readonly body: string;
  readonly line: number;
  readonly side: 'LEFT' | 'RIGHT';
  readonly start_line?: number;
  readonly start_side?: 'LEFT' | 'RIGHT';
}

/** Decides one review (R3–R5, R7): the most severe findings inline, each where it can stand, the others in the body. Pure. */
export function planReview(found: readonly Finding[], facts: ReviewFacts): ReviewPlan {
  const kept = found.filter((finding) => finding.confidence >= facts.minConfidence);
  const findings = distinct(kept)
    .map((finding) => placeFinding(finding, facts.files))
    .sort((a, b) => rank(a.finding) - rank(b.finding));
  const inline = findings.filter((placed) => placed.place).slice(0, facts.maxComments);
  const blocked = facts.blocking && findings.some((placed) => placed.finding.severity === 'blocker');
  return {
    event: blocked ? 'REQUEST_CHANGES' : 'COMMENT',
    commitId: facts.headSha,
    body: reviewBody(findings, inline, facts),
    comments: inline.flatMap((placed) => toComment(placed, facts)),
    findings,
  };
}

/** The same defect told twice is told once. */
function distinct(findings: readonly Finding[]): Finding[] {
  const seen = new Map(
    findings.map((finding) => [`${finding.path}:${finding.startLine}-${finding.endLine}:${finding.title}`, finding]),
  );
  return [...seen.values()];
}

function rank(finding: Finding): number {
  return SEVERITIES.indexOf(finding.severity) - finding.confidence / 10;
}

function toComment(placed: PlacedFinding, facts: ReviewFacts): ReviewComment[] {
  const { place } = placed;
  if (!place) return [];
  const range = place.startLine < place.endLine ? { start_line: place.startLine, start_side: place.side } : {};
  return [{ path: place.path, line: place.endLine, side: place.side, ...range, body: commentBody(placed, facts) }];
}

function commentBody(placed: PlacedFinding, facts: ReviewFacts): string {
  const { finding, moved } = placed;
  const suggestion = provenSuggestion(placed, facts);
  const parts: BodyPart[] = [
    { kind: 'markdown', text: `**${finding.severity}: ${inertInline(finding.title)}**` },
    ...(moved
      ? [{ kind: 'markdown', text: `About ${inertInline(lineText(finding))}, which takes no comment.` } as const]
      : []),
    { kind: 'said', text: finding.body },
    ...(suggestion === undefined ? [] : [{ kind: 'markdown', text: fenced(suggestion, 'suggestion') } as const]),
  ];
  return assembleBody(parts);
}

function reviewBody(findings: readonly PlacedFinding[], inline: readonly PlacedFinding[], facts: ReviewFacts): string {
  const rest = findings.filter((placed) => !inline.includes(placed));
  return assembleBody([
    { kind: 'said', text: facts.verdict || countText(findings.length) },
    ...(findings.length > 0 ? [{ kind: 'markdown', text: table(findings) } as const] : []),
    ...rest.map((placed) => saidFinding(placed.finding)),
    ...(facts.limits.length > 0 ? [{ kind: 'markdown', text: limitsText(facts.limits) } as const] : []),
    { kind: 'markdown', text: reviewMarker(facts.session, facts.headSha) },
  ]);
}

/** Lists beyond this help nobody, and could fill a body on their own. */
const SHOWN_ROWS = 100;
const SHOWN_LIMITS = 50;

function countText(count: number): string {
  return count === 0 ? 'No defects found.' : `${count} finding${count === 1 ? '' : 's'}.`;
}

function table(findings: readonly PlacedFinding[]): string {
  const rows = findings
    .slice(0, SHOWN_ROWS)
    .map(
      ({ finding }) => `| ${finding.severity} | ${inertInline(lineText(finding))} | ${inertInline(finding.title)} |`,
    );
  const more = findings.length > SHOWN_ROWS ? [`| | | and ${findings.length - SHOWN_ROWS} more |`] : [];
  return ['| severity | place | finding |', '|---|---|---|', ...rows, ...more].join('\n');
}

function limitsText(limits: readonly string[]): string {
  const more = limits.length > SHOWN_LIMITS ? [`- and ${limits.length - SHOWN_LIMITS} more of these`] : [];
  return [...limits.slice(0, SHOWN_LIMITS).map((limit) => `- ${inertInline(limit)}`), ...more].join('\n');
}

function saidFinding(finding: Finding): BodyPart {
  const lead = `**${finding.severity}: ${inertInline(finding.title)}** (${inertInline(lineText(finding))})`;
  return { kind: 'said', lead, text: finding.body };
}

function lineText({ path, startLine, endLine }: Finding): string {
  return startLine === endLine ? `${path}:${startLine}` : `${path}:${startLine}-${endLine}`;
}
