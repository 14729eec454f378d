import { mayPush } from '../../../github/may-push.ts';
import type { RepoRef } from '../../../github/repository.ts';
import { stageChanges } from '../../../github/tree/stage-changes.ts';
import type { StagedTree } from '../../../github/tree/stage-changes.ts';
import type { TreeChange } from '../../../github/tree/types.ts';
import type { FixOutcome } from '../../../publish/pull-request/plan-pull-request.ts';
import type { Fix } from '../fix-state.ts';
import { hasConflictMarkers } from '../conflict-markers.ts';
import type { Produced } from '../../job/job.ts';
import type { Workplace } from '../../job/job-kind.ts';
import { publishAsPull } from './publish-as-pull.ts';
import { publishLocally } from './publish-locally.ts';
import { publishOnHead } from './publish-on-head.ts';
import { publishToFork } from './publish-to-fork.ts';

export interface FixWork {
  readonly outcome: FixOutcome;
  readonly changes: readonly TreeChange[];
}
/** What is to be published, and under which words. */
export interface StagedWork {
  readonly outcome: FixOutcome;
  readonly staged: StagedTree;
}

export type Publication =
  | {
      readonly kind: 'done';
      readonly produced: Produced;
      /** What happened on the way, for people. */
      readonly notes: readonly string[];
    }
  /** The branch moved and the work does not merge; nothing was written. `changes` lay the merge out on `head`. */
  | {
      readonly kind: 'conflict';
      readonly staged: StagedTree;
      readonly branch: string;
      readonly head: string;
      readonly paths: string[];
      readonly changes: TreeChange[];
    };

/** Publishes where the fix was asked: on an issue as a pull request, on a pull request as a commit, or as what it takes (U4, U5). */
export async function publishFix(workplace: Workplace, fix: Fix, { outcome, changes }: FixWork): Promise<Publication> {
  const work = { outcome, staged: await stageChanges(workplace.checkout, [...changes], workplace.signal) };
  const { local } = fix.request;
  if (local) return publishLocally(workplace, fix, work, local);
  const { pull, repository } = workplace.subject;
  if (pull) {
    const repo = await writableHead(workplace, fix.request.access);
    if (!repo) return publishToFork(workplace, fix, work);
    return publishOnHead(workplace, fix, work, { repo, branch: pull.headRef, isFork: !pull.sameRepository });
  }
  const base = fix.request.config.pull.base ?? repository.defaultBranch;
  return publishAsPull(workplace, fix, { ...work, staged: resolvedOrBefore(fix, work.staged) }, base);
}

/** Where the head branch of an open pull request takes commits of ours: in this repository, or a fork that lets us push. */
export async function writableHead(
  { subject, signal }: Workplace,
  { github, repo }: Fix['request']['access'],
): Promise<RepoRef | undefined> {
  const { open, sameRepository, headRepo } = subject.pull!;
  if (!open) return undefined;
  if (sameRepository) return repo;
  return headRepo && (await mayPush(github, headRepo, signal)) ? headRepo : undefined;
}

/** A conflict that the model left in the tree is published by nobody: then the work goes out as it was before. */
function resolvedOrBefore({ conflict }: Fix, staged: StagedTree): StagedTree {
  return conflict && hasConflictMarkers(staged.changes, conflict.paths) ? conflict.staged : staged;
}
