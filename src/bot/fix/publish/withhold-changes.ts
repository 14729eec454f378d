import { splitWorkflows } from '../../../github/tree/split-workflows.ts';
import { stageChanges } from '../../../github/tree/stage-changes.ts';
import type { LeftOutReason, TreeChange, TreeChanges } from '../../../github/tree/types.ts';
import { unifiedDiff } from '../../../github/tree/unified-diff.ts';
import type { Fix } from '../fix-state.ts';
import type { Redactor } from '../../../publish/redact.ts';
import type { Workplace } from '../../job/job-kind.ts';

export interface Publishable {
  readonly changes: readonly TreeChange[];
  /** What is held back and why, for people. */
  readonly notes: readonly string[];
  /** The changes to workflows, to be applied by hand; undefined where there are none. */
  readonly patch: string | undefined;
}

/** Holds back what cannot or must not be pushed: unreadable files, our secrets (P8), and workflows, which GitHub refuses from us (U1). */
export async function withholdChanges(
  { checkout, signal }: Workplace,
  { changes: all, leftOut }: TreeChanges,
  { redactor, request: { access } }: Pick<Fix, 'redactor' | 'request'>,
): Promise<Publishable> {
  const clean = all.filter((change) => !holdsSecret(change, redactor));
  const split = splitWorkflows(clean);
  const isTaken = split.workflows.length > 0 && (await access.mayWriteWorkflows?.(signal));
  const { workflows, others } = isTaken ? { workflows: [], others: clean } : split;
  const notes = [
    ...leftOut.map(({ path, reason }) => `Left out: ${path} (${REASONS[reason]}).`),
    ...(clean.length < all.length ? ['A file that holds a secret of this installation was left out.'] : []),
    ...workflows.map(
      ({ path }) => `Left out: ${path} (workflows are for people to change; the patch is with the result).`,
    ),
  ];
  if (workflows.length === 0) return { changes: others, notes, patch: undefined };
  const staged = await stageChanges(checkout, workflows, signal);
  return { changes: others, notes, patch: redactor.redact(await unifiedDiff(checkout.gitDir, staged, signal)) };
}

const REASONS: Readonly<Record<LeftOutReason, string>> = {
  'too-large': 'larger than 100 MB, which GitHub refuses',
  'name-not-utf8': 'its name is no UTF-8',
  unreadable: 'it could not be read',
  'special-file': 'neither a file nor a link',
  'too-deep': 'nested too deep',
  'lfs-content': 'a changed LFS file, which is not uploaded',
};

/** In its bytes or in its name. */
function holdsSecret(change: TreeChange, redactor: Redactor): boolean {
  const isNamedByOne = redactor.holdsKnownSecret(Buffer.from(change.path));
  return isNamedByOne || (change.kind !== 'deleted' && redactor.holdsKnownSecret(change.bytes));
}
