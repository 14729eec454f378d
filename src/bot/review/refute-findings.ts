import { SEVERITIES } from '../../publish/review/finding.ts';
import type { KeyedFinding } from '../../publish/review/key-findings.ts';
import { weighRefutation } from '../../publish/review/weigh-refutation.ts';
import { inParallel } from '../job/in-parallel.ts';
import type { Workplace } from '../job/job-kind.ts';
import { lookAgain } from './look-again.ts';
import type { LookedAt } from './look-again.ts';
import { CHILDREN_AT_ONCE, mayDelegate } from './review-child.ts';

export interface RefutedReview {
  /** With the confidence that the second look left them. */
  readonly kept: readonly KeyedFinding[];
  readonly refuted: readonly KeyedFinding[];
  /** How many had no second look. */
  readonly unchecked: number;
}

/** A fresh look at each finding above `nit`, the most severe first (PR49): what it refutes with a proof is dropped. */
export async function refuteFindings(
  workplace: Workplace,
  found: readonly KeyedFinding[],
  { maxChildren, ...lookedAt }: LookedAt & { maxChildren: number },
): Promise<RefutedReview> {
  const ranked = found
    .filter(({ finding }) => finding.severity !== 'nit')
    .sort((a, b) => SEVERITIES.indexOf(a.finding.severity) - SEVERITIES.indexOf(b.finding.severity));
  const checked = mayDelegate(workplace) ? ranked.slice(0, maxChildren) : [];
  const looks = await inParallel(checked, CHILDREN_AT_ONCE, (keyed, othersMayFollow) =>
    lookAgain(workplace, keyed.finding, lookedAt, othersMayFollow),
  );
  const verdicts = new Map(checked.map((keyed, at) => [keyed, looks[at]]));
  const weighed = found.map((keyed) => ({ keyed, finding: weighRefutation(keyed.finding, verdicts.get(keyed)) }));
  return {
    kept: weighed.flatMap(({ keyed, finding }) => (finding ? [{ ...keyed, finding }] : [])),
    refuted: weighed.flatMap(({ keyed, finding }) => (finding ? [] : [keyed])),
    unchecked: ranked.length - looks.filter(Boolean).length,
  };
}
