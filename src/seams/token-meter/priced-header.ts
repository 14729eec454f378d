import { jsonEquals } from '../../harness/session/json.ts';
import { canonicalHeader } from '../../harness/session/request-header.ts';
import type { EpochHeader } from '../../harness/session/types.ts';
import { estimateHeader } from './estimate.ts';

export interface PricedHeader {
  /** In canonical form. */
  readonly header: EpochHeader;
  readonly tokens: number;
}

/** An equal header keeps the identity of `known`, so that comparing the two later costs nothing. */
export function priceHeader(header: EpochHeader, known?: PricedHeader): PricedHeader {
  const canonical = canonicalHeader(header);
  if (known && jsonEquals(known.header, canonical)) return known;
  return { header: canonical, tokens: estimateHeader(canonical) };
}

/** Whether both make the same request out of the same history; two absent headers do. */
export function isSameHeader(a: PricedHeader | undefined, b: PricedHeader | undefined): boolean {
  return a === b || jsonEquals(a?.header, b?.header);
}
