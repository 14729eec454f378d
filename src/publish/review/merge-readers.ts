import { SEVERITIES } from './finding.ts';
import type { KeyedFinding } from './key-findings.ts';
import { raiseWithinBand } from './weigh-finding.ts';

/**
 * One list of what independent readers found (PR48): what two found at the same code is one finding, the more severe
 * one, and a little more certain. Pure.
 */
export function mergeReaders(readers: readonly (readonly KeyedFinding[])[]): KeyedFinding[] {
  const merged: KeyedFinding[] = [];
  for (const found of readers) {
    const free = [...merged];
    for (const keyed of found) {
      const at = free.findIndex(({ mark }) => mark.fingerprint === keyed.mark.fingerprint);
      const [same] = at < 0 ? [] : free.splice(at, 1);
      if (same) merged[merged.indexOf(same)] = both(same, keyed);
      else merged.push(keyed);
    }
  }
  return merged;
}

function both(one: KeyedFinding, other: KeyedFinding): KeyedFinding {
  const rank = ({ finding }: KeyedFinding) => SEVERITIES.indexOf(finding.severity);
  const [kept, second] = rank(other) < rank(one) ? [other, one] : [one, other];
  const confidence = Math.max(kept.finding.confidence, second.finding.confidence);
  return { ...kept, finding: raiseWithinBand({ ...kept.finding, confidence }) };
}
