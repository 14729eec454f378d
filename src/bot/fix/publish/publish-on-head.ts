import type { GitHub } from '../../../github/client.ts';
import { headOf } from '../../../github/publish-commit.ts';
import type { RepoRef } from '../../../github/repository.ts';
import { placeOn } from '../../../github/tree/place-on.ts';
import { isHarnessError } from '../../../harness/llm/errors.ts';
import type { Fix } from '../fix-state.ts';
import type { Workplace } from '../../job/job-kind.ts';
import { mergedNote, notMergedNote, rewrittenNote } from './moved-notes.ts';
import { beside, saveBeside } from './publish-beside.ts';
import type { Publication, StagedWork } from './publish-fix.ts';
import { logPublished, writeCommit } from './write-commit.ts';
import { whileItMoves } from './while-it-moves.ts';

/** The pull request's own branch, in this repository or in a fork that takes our pushes. */
export interface HeadBranch {
  readonly repo: RepoRef;
  readonly branch: string;
  readonly isFork: boolean;
}

/**
 * Puts the work on the pull request's own branch (U5). Whatever happened to that meanwhile, nothing is lost and nothing
 * forced: what does not fit there is saved on a branch of its own, with both shas told (U3).
 */
export async function publishOnHead(
  workplace: Workplace,
  fix: Fix,
  work: StagedWork,
  place: HeadBranch,
): Promise<Publication> {
  const { github } = fix.request.access;
  if (await isProtected(github, place, workplace.signal)) return beside(workplace, fix, work, place);
  try {
    return await whileItMoves(() => publishNow(workplace, fix, work, place));
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    if (error.code === 'BRANCH_REFUSED') return beside(workplace, fix, work, place);
    if (error.code === 'BRANCH_MOVED') return saveBeside(workplace, fix, work, { ...place, why: error.message });
    throw error;
  }
}

async function publishNow(workplace: Workplace, fix: Fix, work: StagedWork, place: HeadBranch): Promise<Publication> {
  const { checkout, subject, signal } = workplace;
  const { github, repo } = fix.request.access;
  const { branch } = place;
  const { data: pull } = await github.rest.pulls.get({ ...repo, pull_number: subject.number, request: { signal } });
  const head = await headOf(github, place.repo, branch, signal);
  const move = { branch, from: work.staged.parentSha, to: head };
  const saved = (why: string) => saveBeside(workplace, fix, work, { ...place, why });
  if (pull.state !== 'open') {
    return saved(`The pull request was ${pull.merged ? 'merged' : 'closed'} while the work went on.`);
  }
  if (head === undefined) return saved(`\`${branch}\` was deleted while the work went on.`);
  const placed = await placeOn(checkout, work.staged, head, signal);
  switch (placed.kind) {
    case 'placed':
      return commit(workplace, fix, {
        ...{ ...work, ...place, staged: placed.staged },
        notes: placed.isMerged ? [mergedNote(move)] : [],
      });
    case 'rewritten':
      return saved(rewrittenNote(move));
    case 'conflict':
      return saved(notMergedNote(move, placed.paths));
  }
}

interface CommitDraft extends StagedWork {
  readonly repo: RepoRef;
  readonly branch: string;
  readonly notes: readonly string[];
}

async function commit(workplace: Workplace, fix: Fix, draft: CommitDraft): Promise<Publication> {
  const { branch, notes, staged } = draft;
  if (staged.changes.length === 0) {
    const note = `\`${branch}\` holds this change by now, so there is nothing left to publish.`;
    return { kind: 'done', produced: { kind: 'nothing' }, notes: [...notes, note] };
  }
  const { sha } = await writeCommit(workplace, fix, { ...draft, isOwn: true });
  const url = `${workplace.subject.thread.url}/commits/${sha}`;
  logPublished(workplace, 'commit', { sha, url });
  return { kind: 'done', produced: { kind: 'commit', branch, commitSha: sha, url }, notes };
}

/** Undefined heads are told by the writing itself. */
async function isProtected(github: GitHub, { repo, branch }: HeadBranch, signal: AbortSignal): Promise<boolean> {
  if ((await headOf(github, repo, branch, signal)) === undefined) return false;
  return (await github.rest.repos.getBranch({ ...repo, branch, request: { signal } })).data.protected;
}
