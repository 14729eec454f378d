import type { Checkout } from '../../github/git/checkout.ts';
import { gitText } from '../../github/git/git.ts';
import { codeLines, linesOfText, locate } from '../../publish/review/fingerprint.ts';
import type { LedgerEntry } from '../../publish/review/ledger.ts';
import { readBaseFile } from '../context/read-base-files.ts';

/** A history longer than this is not searched: then the head itself is named. */
const MAX_COMMITS = 30;

/**
 * Names for each entry that is fixed at the head the first commit since the last reviewed head in which its code is gone
 * (R6); the head where that cannot be found out.
 */
export async function findFixes(
  { gitDir, headSha }: Pick<Checkout, 'gitDir' | 'headSha'>,
  reviewedHead: string | undefined,
  entries: readonly LedgerEntry[],
  fixed: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<LedgerEntry[]> {
  return Promise.all(
    entries.map(async (entry) => (fixed.has(entry.id) ? { ...entry, fixedBy: await fixOf(entry) } : entry)),
  );

  async function fixOf(entry: LedgerEntry): Promise<string> {
    if (reviewedHead === undefined || entry.side === 'LEFT' || entry.span === 0) return headSha;
    const commits = await commitsOf(entry.path, reviewedHead);
    for (const sha of commits) {
      const text = await readBaseFile({ gitDir, sha, signal }, entry.path);
      if (text === undefined || !locate(entry.path, entry, codeLines(linesOfText(text)))) return sha;
    }
    return headSha;
  }

  async function commitsOf(path: string, since: string): Promise<string[]> {
    const args = ['rev-list', '--reverse', '--topo-order', `${since}..${headSha}`, '--', path];
    const listed = await gitText(args, { gitDir, signal }).catch(() => '');
    const commits = listed.split('\n').filter(Boolean);
    return commits.length > MAX_COMMITS ? [] : commits;
  }
}
