import type { Checkout } from '../../../github/git/checkout.ts';
import type { CheckoutTarget } from '../../../github/git/resolve-target.ts';
import { restoreSnapshot } from '../../../github/tree/snapshot.ts';
import type { HumanRequest, Snapshots } from '../../../store/records.ts';
import { problemOf } from '../../telling/problem.ts';
import { dataOf } from '../request-data.ts';

/** The commit the question was asked on, and not what its branch has become since. Pure. */
export function askedTarget(target: CheckoutTarget, request: HumanRequest): CheckoutTarget {
  const { headSha } = dataOf(request);
  if (headSha === '' || target.kind === 'commit') return target;
  return target.kind === 'pull' ? { ...target, headSha } : { ...target, sha: headSha };
}

/** Puts the changes back that were kept with a question (K2). Returns why that was not possible. */
export async function restoreAskedTree(
  request: HumanRequest,
  checkout: Checkout,
  snapshots: Snapshots,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { snapshot: digest, headSha } = dataOf(request);
  if (digest === null) return headSha === checkout.headSha ? undefined : 'its branch was rewritten';
  const stored = await snapshots.latest(request.session);
  if (stored?.digest !== digest) return 'its changes are no longer kept';
  try {
    const restored = await restoreSnapshot(checkout, stored, signal);
    return restored.kind === 'restored' ? undefined : 'its changes do not fit the branch any more';
  } catch (error) {
    signal.throwIfAborted();
    return problemOf(error).message;
  }
}
