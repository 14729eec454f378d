import type { Finding } from './finding.ts';
import { locate, markOf } from './fingerprint.ts';
import type { KeyedFinding, ReadCode } from './key-findings.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';

/** What became of a finding's thread on GitHub. */
export type ThreadState = 'open' | 'resolved-by-us' | 'resolved-by-person' | 'deleted';

export interface ReconcileFacts {
  readonly headSha: string;
  readonly read: ReadCode;
  /** The new name of a file that the pull request renames; itself for others. */
  readonly nameOf: (path: string) => string;
  /** By the id of the entry; undefined where threads could not be read. */
  readonly threadOf: ((id: string) => ThreadState | undefined) | undefined;
}

export interface Reconciled {
  /** Told for the first time, or again after it had been fixed. */
  readonly fresh: readonly KeyedFinding[];
  /** The earlier entries as they stand at this head. Those `fixed` by it have no `fixedBy` yet. */
  readonly entries: readonly LedgerEntry[];
  /** Ids of the entries that were open and whose code is gone. */
  readonly fixed: readonly string[];
}

/**
 * Holds the findings of a review against those of earlier ones (R6). What is open, dismissed or refuted is not told again,
 * but for what has no line yet because its file had been pushed to (R12);
 * an open one whose code is gone is fixed, unless the review tells the same defect at the changed code. Pure.
 */
export function reconcile(ledger: Ledger, found: readonly KeyedFinding[], facts: ReconcileFacts): Reconciled {
  const left = [...found];
  const again: KeyedFinding[] = [];
  const entries: LedgerEntry[] = [];
  const fixed: string[] = [];
  const standing = ledger.entries.map((entry) => standingOf(entry, facts));
  // All that are told at their own code first: a title alone must not take another's finding.
  const same = standing.map(({ entry, isThere }) => (isThere ? takeSame(entry, left, standing) : undefined));
  for (const [at, { entry, isThere }] of standing.entries()) {
    if (entry.state === 'fixed') {
      if (same[at]) again.push(same[at]);
      else entries.push(entry);
      continue;
    }
    const hasCode = isThere && entry.span > 0;
    const told = same[at] ?? (hasCode ? undefined : takeReworded(entry, left));
    if (told && entry.anew) again.push(told);
    else if (told && !hasCode) entries.push({ ...entry, ...told.mark, line: told.finding.endLine });
    else if (isThere || entry.state !== 'open') entries.push(entry);
    else {
      fixed.push(entry.id);
      entries.push({ ...entry, state: 'fixed' });
    }
  }
  return { fresh: [...left, ...again], entries, fixed };
}

interface Standing {
  readonly entry: LedgerEntry;
  /** Its code is in the head. What is known by its title stays until it is proven to be mended. */
  readonly isThere: boolean;
}

/** The entry with today's path, lines and thread. */
function standingOf(entry: LedgerEntry, { read, nameOf, threadOf }: ReconcileFacts): Standing {
  const path = nameOf(entry.path);
  const place = locate(entry.path, entry, read(path, entry.side));
  const now = withThread(entry, threadOf?.(entry.id));
  const moved = place && {
    line: place.endLine,
    ...(path !== entry.path && markOf(path, place, read(path, entry.side))),
  };
  return { entry: { ...now, path, ...moved }, isThere: place !== undefined || entry.span === 0 };
}

/** An open finding whose thread a person resolved or deleted is dismissed. */
export function withThread(entry: LedgerEntry, thread: ThreadState | undefined): LedgerEntry {
  const isSettled = entry.inline && (thread === 'resolved-by-person' || thread === 'deleted');
  return isSettled && entry.state === 'open' ? { ...entry, state: 'dismissed' } : entry;
}

/** The finding at the entry's code: the one with its title, else the one nearest to it that no other entry's title fits. */
function takeSame(entry: LedgerEntry, left: KeyedFinding[], standing: readonly Standing[]): KeyedFinding | undefined {
  const here = left.filter(
    ({ finding, mark }) => finding.path === entry.path && mark.fingerprint === entry.fingerprint,
  );
  const others = standing.filter((one) => one.entry !== entry && one.entry.fingerprint === entry.fingerprint);
  const exact = here.find(({ finding }) => finding.title === entry.title);
  const free = here
    .filter(({ finding }) => !others.some((other) => other.entry.title === finding.title))
    .toSorted((a, b) => sharedWords(b.finding, entry) - sharedWords(a.finding, entry));
  return take(exact ?? free[0], left);
}

/** The same defect, told at code that was changed and not mended. */
function takeReworded(entry: LedgerEntry, left: KeyedFinding[]): KeyedFinding | undefined {
  const same = ({ finding }: KeyedFinding) => finding.path === entry.path && sharesWords(finding, entry);
  return take(left.find(same), left);
}

function take(found: KeyedFinding | undefined, left: KeyedFinding[]): KeyedFinding | undefined {
  if (found) left.splice(left.indexOf(found), 1);
  return found;
}

function sharesWords(finding: Pick<Finding, 'title'>, entry: LedgerEntry): boolean {
  return sharedWords(finding, entry) >= 0.6;
}

/** The part of the shorter title's words that the other has, too. */
function sharedWords({ title }: Pick<Finding, 'title'>, entry: LedgerEntry): number {
  const [a, b] = [wordsOf(title), wordsOf(entry.title)];
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared === 0 ? 0 : shared / Math.min(a.size, b.size);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu));
}
