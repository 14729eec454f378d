import type { LedgerEntry } from '../../publish/review/ledger.ts';

declare module '../../harness/session/types.ts' {
  interface SessionEventMap {
    /** Log-only: the findings of the pull request after a review of this head, as its body on GitHub holds them, too. */
    'review/ledger': { turn: number; headSha: string; entries: LedgerEntry[] };
  }
}
