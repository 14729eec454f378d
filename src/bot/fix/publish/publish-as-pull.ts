import { branchName, branchStem } from '../../../github/branch-name.ts';
import { headOf } from '../../../github/publish-commit.ts';
import { mergeOnto } from '../../../github/tree/merge-onto.ts';
import type { Placed } from '../../../github/tree/place-on.ts';
import { placeOn } from '../../../github/tree/place-on.ts';
import { restage } from '../../../github/tree/restage.ts';
import type { StagedTree } from '../../../github/tree/stage-changes.ts';
import { findUnfinishedBranch } from '../../../publish/pull-request/find-unfinished-branch.ts';
import type { OwnPull, PublishTarget } from '../../../publish/pull-request/publish-pull-request.ts';
import { findOwnPull, publishPullRequest } from '../../../publish/pull-request/publish-pull-request.ts';
import type { Fix } from '../fix-state.ts';
import type { Workplace } from '../../job/job-kind.ts';
import { isOverNote, mergedNote, notMergedNote, rewrittenNote, stateNote } from './moved-notes.ts';
import { planFix } from './plan-fix.ts';
import type { Publication, StagedWork } from './publish-fix.ts';
import { saveOnBranch } from './save-on-branch.ts';
import { whileItMoves } from './while-it-moves.ts';

/** Publishes as a pull request into `base`: as one more commit of our open one, else on a branch of its own (U2, U3, U4). */
export async function publishAsPull(
  workplace: Workplace,
  fix: Fix,
  work: StagedWork,
  base: string,
): Promise<Publication> {
  const { access } = fix.request;
  const { checkout, signal } = workplace;
  return whileItMoves(async () => {
    const over = fix.own && (await howItEnded(workplace, fix, fix.own));
    const own = over ? undefined : fix.own;
    const branch = own?.branch ?? base;
    const head = await headOf(access.github, access.repo, branch, signal);
    if (head === undefined && own) return publish(workplace, fix, { ...work, own: undefined, base });
    if (head === undefined)
      return saveOnBranch(workplace, fix, work, `\`${base}\` was deleted while the work went on.`);

    const place = over ? placeApart : placeOn;
    const placed = await place(checkout, work.staged, head, signal);
    const move = { branch, from: work.staged.parentSha, to: head };
    switch (placed.kind) {
      case 'placed': {
        const note = over ? isOverNote(fix.own!.number, over, move) : placed.isMerged ? mergedNote(move) : undefined;
        return publish(workplace, fix, { ...work, staged: placed.staged, own, base, note });
      }
      case 'rewritten':
        return publish(workplace, fix, { ...work, own: undefined, base, note: rewrittenNote(move) });
      case 'conflict': {
        if (!fix.conflict && !fix.isSandboxGone) return { ...placed, staged: work.staged, branch };
        return publish(workplace, fix, { ...work, own: undefined, base, note: notMergedNote(move, placed.paths) });
      }
    }
  });
}

/** Undefined while our pull request is open: it may be merged or closed while the work goes on. */
export async function howItEnded({ signal }: Workplace, { request }: Fix, { number }: OwnPull) {
  const { github, repo } = request.access;
  const { data } = await github.rest.pulls.get({ ...repo, pull_number: number, request: { signal } });
  if (data.state === 'open') return undefined;
  return data.merged ? 'merged' : 'closed';
}

/** On the base itself, where the work stands on the branch of a pull request that is over; squashed or not. */
export const placeApart: typeof placeOn = async (checkout, staged, head, signal): Promise<Placed> => {
  const merge = await mergeOnto(checkout, staged, head, signal);
  return merge.kind === 'conflict'
    ? { ...merge, head }
    : { kind: 'placed', staged: merge.staged, isMerged: head !== staged.parentSha };
};

interface Placement extends StagedWork {
  readonly own: Fix['own'];
  readonly base: string;
  readonly note?: string | undefined;
}

async function publish(workplace: Workplace, fix: Fix, placement: Placement): Promise<Publication> {
  const { agent, turn, signal } = workplace;
  const { access, session } = fix.request;
  const { own, base, note } = placement;
  const notes = note ? [note] : [];
  const { staged, branch, isUnfinished } = await branchFor(workplace, fix, placement);
  if (staged.changes.length === 0 && !isUnfinished) return nothingLeft(base, notes);

  const outcome = { ...placement.outcome, notes: [...placement.outcome.notes, ...notes] };
  const plan = await planFix(workplace, fix, { outcome, changes: placement.staged.changes });
  const target: PublishTarget = { branch, own, isUnfinished, base, session };
  const pull = await publishPullRequest(access.github, access.repo, { plan, staged, target }, signal);
  const { number, url, commitSha: sha } = pull;
  agent.session.append('publish/done', { turn, what: 'commit', id: sha, url, sha });
  agent.session.append('publish/done', { turn, what: 'pull-request', id: number, url, sha });
  // What people have made of its text stays, so that what is new is told beside it, too.
  const told = own ? [...outcome.notes, ...stateNote(own, plan.draft)] : notes;
  const { draft } = own ?? plan;
  return { kind: 'done', produced: { kind: 'pull-request', ...pull, draft }, notes: told };
}

interface BranchFor {
  readonly staged: StagedTree;
  readonly branch: string;
  readonly isUnfinished: boolean;
}

/** A run that died between branch and pull request left a branch of ours, perhaps under another title: it is gone on with (U6). */
async function branchFor({ subject, checkout, signal }: Workplace, fix: Fix, placement: Placement): Promise<BranchFor> {
  const { access, config, session } = fix.request;
  const { staged, own, outcome } = placement;
  const { prefix } = config.branch;
  const branch = own?.branch ?? branchName(subject, outcome.title, prefix);
  if (own) return { staged, branch, isUnfinished: false };
  const { github, repo, ownLogin } = access;
  const stem = branchStem(subject, prefix);
  const wanted = { stem, ownLogin, parentSha: staged.parentSha };
  const unfinished =
    (fix.own ? undefined : await findOwnPull(github, repo, { session, prefix, stem, ownLogin }, signal)) ??
    (await findUnfinishedBranch(github, repo, wanted, signal));
  if (!unfinished) return { staged, branch, isUnfinished: false };
  const onTop = await restage(checkout, staged, unfinished.headSha, signal);
  // The very same tree: then its commit is ours as it is.
  return { staged: onTop.changes.length > 0 ? onTop : staged, branch: unfinished.branch, isUnfinished: true };
}

/** What somebody pushed meanwhile is the very same change. */
function nothingLeft(base: string, notes: readonly string[]): Publication {
  const note = `\`${base}\` holds this change by now, so there is nothing left to publish.`;
  return { kind: 'done', produced: { kind: 'nothing' }, notes: [...notes, note] };
}
