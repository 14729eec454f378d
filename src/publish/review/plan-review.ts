import type { DiffFile } from '../../github/diff/types.ts';
import { SEVERITIES } from './finding.ts';
import type { Finding } from './finding.ts';
import type { KeyedFinding } from './key-findings.ts';
import type { LedgerEntry } from './ledger.ts';
import { idsOf, newEntry } from './new-entry.ts';
import { placeFinding } from './place-finding.ts';
import type { PlacedFinding } from './place-finding.ts';
import { reviewBody } from './review-body.ts';
import { commentBody } from './review-comment.ts';

export interface ReviewFacts {
  readonly session: string;
  /** What started it: two reviews of one head are two only if they were asked for twice. */
  readonly cause: string;
  readonly headSha: string;
  /** The whole diff of the pull request. */
  readonly files: readonly DiffFile[];
  /** Text of a file at the head; undefined where there is none. */
  readonly headFile: (path: string) => string | undefined;
  readonly verdict: string;
  /** Why the diff is not all of it, what was left out: said in the body. */
  readonly limits: readonly string[];
  /** What got how much attention: said beside the limits. */
  readonly attention: readonly string[];
  readonly minConfidence: number;
  readonly maxComments: number;
  readonly blocking: boolean;
  readonly approve: boolean;
  /** Earlier findings as they stand at this head (R6). */
  readonly earlier: readonly LedgerEntry[];
  /** Ids of those that this head fixed. */
  readonly fixedNow: ReadonlySet<string>;
  /** The head reviewed before this one. */
  readonly reviewedHead: string | undefined;
  /** Whether a person dismissed the last request for changes that we made. */
  readonly dismissed: boolean;
  /** Whether only paths that were asked for were looked at. */
  readonly isPart: boolean;
  /** Files that a push changed while this head was reviewed (R12). */
  readonly changedMeanwhile: ReadonlySet<string>;
  /** Places (`placeKey`) at which GitHub takes no comment. */
  readonly refused: ReadonlySet<string>;
}

/** What `POST /repos/{owner}/{repo}/pulls/{number}/reviews` takes, and what it leaves behind. */
export interface ReviewPlan {
  readonly event: 'COMMENT' | 'REQUEST_CHANGES' | 'APPROVE';
  /** Whether something is open that blocks, whatever the event says. */
  readonly blocks: boolean;
  readonly commitId: string;
  readonly body: string;
  readonly comments: readonly ReviewComment[];
  /** Those this review tells. */
  readonly findings: readonly PlacedFinding[];
  /** All findings of the pull request after this review. */
  readonly ledger: readonly LedgerEntry[];
}
export interface ReviewComment {
  readonly path: string;
  readonly body: string;
  readonly line: number;
  readonly side: 'LEFT' | 'RIGHT';
  readonly start_line?: number;
  readonly start_side?: 'LEFT' | 'RIGHT';
}

/** Decides one review (R3–R7, R12): the most severe findings inline, each where it can stand, the others in the body. Pure. */
export function planReview(found: readonly KeyedFinding[], facts: ReviewFacts): ReviewPlan {
  const placed = found
    .filter(({ finding }) => finding.confidence >= facts.minConfidence)
    .map((keyed) => ({
      ...keyed,
      placed: { ...placeOf(keyed.finding, facts), fingerprint: keyed.mark.fingerprint },
    }))
    .sort((a, b) => rank(a.finding) - rank(b.finding));
  const inline = placed.filter((one) => one.placed.place).slice(0, facts.maxComments);
  const ids = idsOf(placed, facts.earlier);
  const findings = placed.map((one) => one.placed);
  const ledger = [
    ...facts.earlier,
    ...placed.map((one, at) => newEntry(one, { id: ids[at]!, isInline: inline.includes(one), facts })),
  ];
  const told = findings.map(({ finding }) => finding);
  const open = openOf(facts.earlier);
  return {
    event: eventOf(told, open, facts),
    blocks: facts.blocking && [...told, ...open].some(isBlocker),
    commitId: facts.headSha,
    body: reviewBody({ findings, inline: inline.map((one) => one.placed), ledger, facts }),
    comments: inline.map((one) => toComment(one.placed, ids[placed.indexOf(one)]!, facts)),
    findings,
    ledger,
  };
}

/** Names the place of a comment among those of one review. */
export function placeKey({ path, side, line }: Pick<ReviewComment, 'path' | 'side' | 'line'>): string {
  return `${side} ${line} ${path}`;
}

export function openOf(entries: readonly LedgerEntry[]): LedgerEntry[] {
  return entries.filter(({ state }) => state === 'open');
}

/** Nothing lands on lines that a push has changed since: there a finding is told, without a line of its own (R12). */
function placeOf(finding: Finding, { files, changedMeanwhile, refused }: ReviewFacts): PlacedFinding {
  const placed = placeFinding(finding, files);
  const isRefused = placed.place && refused.has(placeKey({ ...placed.place, line: placed.place.endLine }));
  return isRefused || changedMeanwhile.has(finding.path) ? { finding, place: undefined, moved: false } : placed;
}

/** Approval is for a change that was looked at whole and left nothing open. */
function eventOf(
  told: readonly Finding[],
  open: readonly LedgerEntry[],
  { blocking, dismissed, approve, limits }: ReviewFacts,
): ReviewPlan['event'] {
  // Who dismissed our request knows of these: only what is new asks again.
  const asking = dismissed ? told : [...told, ...open];
  if (blocking && asking.some(isBlocker)) return 'REQUEST_CHANGES';
  return approve && told.length + open.length + limits.length === 0 ? 'APPROVE' : 'COMMENT';
}

function isBlocker({ severity }: Pick<Finding, 'severity'>): boolean {
  return severity === 'blocker';
}

function rank(finding: Finding): number {
  return SEVERITIES.indexOf(finding.severity) - finding.confidence / 10;
}

function toComment(placed: PlacedFinding, id: string, facts: ReviewFacts): ReviewComment {
  const place = placed.place!;
  const range = place.startLine < place.endLine ? { start_line: place.startLine, start_side: place.side } : {};
  const body = commentBody(placed, id, facts);
  return { path: place.path, line: place.endLine, side: place.side, ...range, body };
}
