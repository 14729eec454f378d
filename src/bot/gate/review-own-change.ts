import { createHash } from 'node:crypto';
import { parseGitDiff } from '../../github/diff/parse-git-diff.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import { stageChanges } from '../../github/tree/stage-changes.ts';
import { readTreeChanges } from '../../github/tree/tree-changes.ts';
import type { TreeChange } from '../../github/tree/types.ts';
import { unifiedDiff } from '../../github/tree/unified-diff.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { changedTests } from '../fix/verify/changed-tests.ts';
import { keepHead } from '../context/data-limits.ts';
import type { Fix } from '../fix/fix-state.ts';
import { GATE_FOUND, GATE_HEAD, GATE_UNCHANGED } from '../prompts/gate.ts';
import { readManifests } from '../context/read-base-files.ts';
import type { SubmittedResult } from '../fix/submit-result.ts';
import { inspectChange } from './inspect-change.ts';

const MAX_DIFF_CHARS = 12 * 1024;

/**
 * The model's last look at its own change (PR53): for each new state of the tree, at most `selfReview.rounds` a turn, the
 * diff and what stands out in it. Undefined where it has been shown, or there is nothing to show: then the result counts.
 * Throws for a `fixed` that changed nothing.
 */
export async function reviewOwnChange(
  fix: Fix,
  { outcome }: SubmittedResult,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { checkout, request } = fix;
  if (!checkout) return undefined;
  const { changes } = await readTreeChanges(checkout, signal);
  if (changes.length === 0 && outcome === 'fixed') throw new HarnessError(GATE_UNCHANGED, 'SUBMIT_REFUSED');
  const state = stateOf(changes);
  const isDue = changes.length > 0 && fix.reviewed.size < request.config.selfReview.rounds && !fix.reviewed.has(state);
  if (!isDue) return undefined;
  fix.reviewed.add(state);
  return await describeChange(fix, checkout, changes, signal);
}

async function describeChange(
  { request, threadText }: Fix,
  checkout: Checkout,
  changes: TreeChange[],
  signal: AbortSignal,
): Promise<string> {
  const diff = await unifiedDiff(checkout.gitDir, await stageChanges(checkout, changes, signal), signal);
  const { gitDir, mirror, baseSha: sha } = checkout;
  const manifests = await readManifests({ gitDir, sha, signal, mirror });
  const found = inspectChange({
    files: parseGitDiff(diff),
    changedTests: changedTests(changes, manifests, request.config.verify.commands),
    request: `${request.turn.request}\n${threadText}`,
  });
  const notes = found.length > 0 ? `\n\n${GATE_FOUND}\n${found.map((note) => `- ${note}`).join('\n')}` : '';
  return `${GATE_HEAD}${notes}\n\n${keepHead(diff, MAX_DIFF_CHARS, 'git diff shows the rest')}`;
}

function stateOf(changes: readonly TreeChange[]): string {
  const hash = createHash('sha256');
  for (const change of changes) {
    hash.update(`${change.path}\0${change.kind === 'deleted' ? '' : `${change.mode} ${change.sha}`}\0`);
  }
  return hash.digest('hex');
}
