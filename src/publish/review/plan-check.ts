import type { CheckAnnotation, CheckConclusion, CheckReport } from '../../github/checks.ts';
import { assembleBody } from '../markdown/body.ts';
import type { BodyPart } from '../markdown/body.ts';
import type { Finding } from './finding.ts';
import type { LedgerEntry } from './ledger.ts';
import type { PlacedFinding } from './place-finding.ts';

/** By this name a branch protection can require it. */
export const CHECK_NAME = 'dsh review';

/** GitHub refuses summaries over 65,535 bytes, and a character may have three. */
const MAX_SUMMARY = 20_000;
const MAX_TITLE = 250;
/** A check with more of them is read by nobody. */
const MAX_ANNOTATIONS = 200;

export interface CheckFacts {
  /** What this review tells. */
  readonly findings: readonly PlacedFinding[];
  /** Earlier findings that are still open. */
  readonly stillOpen: readonly LedgerEntry[];
  readonly blocking: boolean;
  /** Whether only paths that were asked for were looked at: that is no success of the head. */
  readonly isPart: boolean;
  readonly verdict: string;
}

/** How the check of a head ends that was reviewed (R9): by what is open on it, told now or earlier. Pure. */
export function planCheck({ findings, stillOpen, blocking, isPart, verdict }: CheckFacts): CheckReport {
  const open = [...findings.map(({ finding }) => finding), ...stillOpen];
  return {
    conclusion: conclusionOf(open, { blocking, isPart }),
    title: titleOf(findings.length, stillOpen.length),
    summary: summaryOf(verdict || titleOf(findings.length, stillOpen.length)),
    annotations: [...findings.flatMap(annotationOf), ...stillOpen.flatMap(earlierAnnotation)].slice(0, MAX_ANNOTATIONS),
  };
}

/** How it ends where no review could be made, or none was: that never stops a merge (R9). */
export function planNeutralCheck(title: string, parts: readonly BodyPart[]): CheckReport {
  return { conclusion: 'neutral', title, summary: assembleBody(parts, MAX_SUMMARY), annotations: [] };
}

function conclusionOf(
  open: readonly Pick<Finding, 'severity'>[],
  { blocking, isPart }: Pick<CheckFacts, 'blocking' | 'isPart'>,
): CheckConclusion {
  if (blocking && open.some(({ severity }) => severity === 'blocker')) return 'failure';
  return open.length > 0 || isPart ? 'neutral' : 'success';
}

function titleOf(told: number, stillOpen: number): string {
  const count = (n: number) => `${n} finding${n === 1 ? '' : 's'}`;
  if (told === 0 && stillOpen === 0) return 'No defects found';
  return stillOpen === 0 ? count(told) : `${count(told)}, ${stillOpen} still open from earlier reviews`;
}

function summaryOf(text: string): string {
  return assembleBody([{ kind: 'said', text }], MAX_SUMMARY);
}

const LEVELS = { blocker: 'failure', major: 'warning', minor: 'notice', nit: 'notice' } as const;

/** Annotations stand on lines of the head; what has none there is in the review. */
function annotationOf({ finding, place }: PlacedFinding): CheckAnnotation[] {
  if (!place || place.side !== 'RIGHT') return [];
  const { path, startLine: start_line, endLine: end_line } = place;
  const { severity, title, body: message } = finding;
  return [{ path, start_line, end_line, annotation_level: LEVELS[severity], title: titled(severity, title), message }];
}

function earlierAnnotation({ path, side, line, severity, title }: LedgerEntry): CheckAnnotation[] {
  if (side !== 'RIGHT') return [];
  const message = `Still open since an earlier review: ${title}`;
  const at = { path, start_line: line, end_line: line };
  return [{ ...at, annotation_level: LEVELS[severity], title: titled(severity, title), message }];
}

function titled(severity: Finding['severity'], title: string): string {
  return `${severity}: ${title}`.slice(0, MAX_TITLE);
}
