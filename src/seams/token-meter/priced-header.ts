import { canonicalHeader, headerEquals } from '../../harness/session/request-header.ts';
import type { EpochHeader } from '../../harness/session/types.ts';
import { estimateHeader } from './estimate.ts';

export interface PricedHeader {
  /** In canonical form. */
  readonly header: EpochHeader;
  readonly tokens: number;
}

/** An equal header keeps the identity of `known`, so that comparing the two later costs nothing. */
export function priceHeader(header: EpochHeader, known?: PricedHeader): PricedHeader {
  if (known && headerEquals(known.header, header)) return known;
  const canonical = canonicalHeader(header);
  return { header: canonical, tokens: estimateHeader(canonical) };
}

/** Whether both make the same request out of the same history; two absent headers do. */
export function isSameHeader(a: PricedHeader | undefined, b: PricedHeader | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && headerEquals(a.header, b.header);
}
