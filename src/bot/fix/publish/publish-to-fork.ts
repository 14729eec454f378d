import { diffCommits } from '../../../github/git/diff-commits.ts';
import { localDiff } from '../../../github/git/local-diff.ts';
import { mirrorOptions } from '../../../github/git/mirror.ts';
import { parseGitDiff } from '../../../github/diff/parse-git-diff.ts';
import { readPullDiff } from '../../../github/pull-diff.ts';
import { unifiedDiff } from '../../../github/tree/unified-diff.ts';
import type { StagedTree } from '../../../github/tree/stage-changes.ts';
import { suggestionsMarker } from '../../../publish/markers.ts';
import type { Suggestion } from '../../../publish/pull-request/plan-suggestions.ts';
import { planSuggestions } from '../../../publish/pull-request/plan-suggestions.ts';
import { publishSuggestions } from '../../../publish/pull-request/publish-suggestions.ts';
import type { Fix } from '../fix-state.ts';
import type { Workplace } from '../../job/job-kind.ts';
import type { Publication, StagedWork } from './publish-fix.ts';

/**
 * The head branch is another repository's, or the pull request is closed: the change is given to be taken, as suggestions
 * where all of it fits inside the diff, else as a patch (U5). Nothing of a fork goes to a branch of the base repository.
 */
export async function publishToFork(workplace: Workplace, fix: Fix, { staged }: StagedWork): Promise<Publication> {
  const { checkout, subject, signal } = workplace;
  const suggestions = subject.pull?.open ? await fittingSuggestions(workplace, fix, staged) : undefined;
  const review = suggestions && (await post(workplace, fix, suggestions, staged.treeSha));
  if (review) return review;
  const diff = fix.redactor.redact(await unifiedDiff(checkout.gitDir, staged, signal));
  return { kind: 'done', produced: { kind: 'patch', diff }, notes: [] };
}

/** Only where the head is still the one the work stands on: else lines are others by now. */
async function fittingSuggestions({ checkout, subject, signal }: Workplace, fix: Fix, staged: StagedTree) {
  const { github, repo } = fix.request.access;
  const { gitDir, mirror } = checkout;
  const shown = await readPullDiff(github, repo, subject.number, () => localDiff(checkout, signal), signal);
  if (shown.headSha !== staged.parentSha) return undefined;
  const options = { ...(await mirrorOptions(mirror)), gitDir, signal };
  const change = parseGitDiff(
    await diffCommits(options, staged.parentTreeSha, staged.treeSha, ['--unified=0', '--no-renames']),
  );
  return planSuggestions(change, shown.files);
}

async function post(
  { subject, agent, turn, signal }: Workplace,
  { request, redactor }: Fix,
  planned: readonly Suggestion[],
  treeSha: string,
): Promise<Publication | undefined> {
  const { access, session } = request;
  const suggestions = redactor.redactAll(planned);
  const headSha = subject.pull!.headSha;
  const marker = suggestionsMarker(session, treeSha);
  const { number } = subject;
  const wanted = { number, headSha, suggestions, marker, ownLogin: access.ownLogin };
  const review = await publishSuggestions(access.github, access.repo, wanted, signal);
  if (!review) return undefined;
  agent.session.append('publish/done', { turn, what: 'review', id: review.id, url: review.url, sha: headSha });
  return { kind: 'done', produced: { kind: 'suggestions', ...review, count: suggestions.length }, notes: [] };
}
