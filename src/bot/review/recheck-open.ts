import type { ReviewThread } from '../../github/review-threads.ts';
import type { LedgerEntry } from '../../publish/review/ledger.ts';
import { threadOf } from '../../publish/review/read-ledger.ts';
import { resolves } from '../../publish/review/weigh-refutation.ts';
import { inParallel } from '../job/in-parallel.ts';
import type { Workplace } from '../job/job-kind.ts';
import { lookAgain } from './look-again.ts';
import type { LookedAt } from './look-again.ts';
import { CHILDREN_AT_ONCE, mayDelegate } from './review-child.ts';

export interface OpenFindings extends LookedAt {
  readonly entries: readonly LedgerEntry[];
  /** Files that were pushed to since the head reviewed before. */
  readonly pushed: ReadonlySet<string>;
  readonly threads: readonly ReviewThread[];
  readonly ownLogin: string;
  readonly maxChildren: number;
}

/** Pushes are many, so few of what is open is looked at on each. */
const MAX_RECHECKS = 5;

/**
 * Which open findings a push has mended without touching their own lines, as by a guard elsewhere in the file (R6): each is
 * looked at afresh, and a proof that it cannot happen any more is its fix. Answers their ids.
 */
export async function recheckOpen(workplace: Workplace, open: OpenFindings): Promise<string[]> {
  const { entries, pushed, threads, ownLogin, files, paths, maxChildren } = open;
  if (!mayDelegate(workplace)) return [];
  const touched = entries.filter(
    ({ state, inline, anew, span, path }) => state === 'open' && (inline || anew || span === 0) && pushed.has(path),
  );
  const checked = touched.slice(0, Math.min(MAX_RECHECKS, maxChildren));
  const looks = await inParallel(checked, CHILDREN_AT_ONCE, ({ id, path, side, line, title }, othersMayFollow) => {
    const scenario = threadOf(threads, id, ownLogin)?.comments[0]?.body ?? title;
    const claim = { path, side, startLine: line, endLine: line, title, scenario };
    return lookAgain(workplace, claim, { files, paths }, othersMayFollow);
  });
  return checked.flatMap(({ id }, at) => (looks[at]?.verdict === 'refuted' && resolves(looks[at]) ? [id] : []));
}
