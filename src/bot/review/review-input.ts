import type { HookContext } from '../../harness/agent/types.ts';
import { parseGitDiff } from '../../github/diff/parse-git-diff.ts';
import type { DiffFile } from '../../github/diff/types.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import { diffCommits } from '../../github/git/diff-commits.ts';
import { generatedPaths } from '../../github/git/generated-paths.ts';
import { localDiff } from '../../github/git/local-diff.ts';
import { obtainCommit } from '../../github/git/obtain-commit.ts';
import { readPullDiff } from '../../github/pull-diff.ts';
import { readReviewHistory, threadStates } from '../../publish/review/read-ledger.ts';
import { withThread } from '../../publish/review/reconcile.ts';
import type { ReviewHistory } from '../../publish/review/read-ledger.ts';
import type { LedgerEntry } from '../../publish/review/ledger.ts';
import type { JobRequest } from '../job/job.ts';
import type { Subject } from '../context/read-subject.ts';
import { dataContext } from '../context/request-prompt.ts';
import { readPaths } from '../context/read-paths.ts';
import { reviewScope } from './review-scope.ts';

/** What a review stands on: the change, what of it is to be read, and what earlier reviews said. */
export interface ReviewInput {
  readonly headSha: string;
  /** The whole diff of the pull request: its lines take comments. */
  readonly whole: readonly DiffFile[];
  readonly files: readonly DiffFile[];
  readonly limits: readonly string[];
  readonly history: ReviewHistory;
  /** Whether only what was pushed since the last review is to be read. */
  readonly isPush: boolean;
  /** Whether only paths that were asked for are to be read. */
  readonly isPart: boolean;
  /** Files that were pushed to since the head reviewed before. */
  readonly pushed: ReadonlySet<string>;
  /** Every path of the head, and those that the change takes away. */
  readonly headPaths: ReadonlySet<string>;
}

export async function readReviewInput(
  subject: Subject,
  checkout: Checkout,
  { access, config, signal, turn }: JobRequest,
): Promise<ReviewInput> {
  const { github, repo, ownLogin } = access;
  const { number } = subject;
  const [diff, history, headPaths] = await Promise.all([
    readPullDiff(github, repo, number, () => localDiff(checkout, signal), signal),
    readReviewHistory({ github, repo, number, ownLogin }, signal),
    readPaths(checkout, signal),
  ]);
  const { reading } = turn;
  const isFull = reading.kind === 'command' && 'full' in reading.command.flags;
  const words = reading.kind === 'command' && reading.command.name === 'review' ? wordsOf(reading.command.text) : [];
  const { reviewedHead } = history.ledger;
  // Who asks again on the same head wants all of it read again.
  const earlier = reviewedHead === checkout.headSha ? undefined : reviewedHead;
  const since = earlier === undefined ? undefined : await pushedSince(checkout, earlier, signal);
  const { ignore } = config.review;
  const generated = await generatedPaths(
    checkout,
    diff.files.map(({ path }) => path),
    signal,
  );
  const anew = new Set(history.ledger.entries.filter((entry) => entry.anew).map(({ path }) => path));
  const scope = reviewScope(diff.files, { ignore, generated, words, since: isFull ? undefined : since, anew });
  const lost = earlier !== undefined && since === undefined ? [lostHead(earlier)] : [];
  return {
    headSha: checkout.headSha,
    whole: diff.files,
    pushed: new Set(since?.files.map(({ path }) => path)),
    files: scope.files,
    limits: [...diff.notes, ...lost, ...scope.limits],
    history,
    isPush: since !== undefined && !isFull,
    isPart: scope.isPart,
    headPaths: new Set([...headPaths, ...diff.files.flatMap(({ path, previousPath }) => [path, previousPath ?? path])]),
  };
}

/** What is open and what is not to be told again, as data: the words were a model's once (PR45). */
export function earlierContexts({ ledger, threads }: ReviewHistory, ownLogin: string): HookContext[] {
  const stateOf = threads && threadStates(threads, ownLogin);
  const told = ledger.entries
    .map((entry) => withThread(entry, stateOf?.(entry.id)))
    .filter(({ state, anew }) => state !== 'fixed' && !anew);
  if (told.length === 0) return [];
  const lines = told.map(
    (entry) => `${SAID[entry.state]} ${entry.path}:${entry.line} ${entry.severity}: ${entry.title}`,
  );
  const title = 'What earlier reviews found; none of it is to be reported again';
  return [dataContext({ kind: 'comment', title, text: lines.join('\n') })];
}

const SAID: Readonly<Record<LedgerEntry['state'], string>> = {
  open: '[open]',
  dismissed: '[a person dismissed it]',
  refuted: '[found to be none]',
  fixed: '[fixed]',
};

/** Undefined where that head is gone, as after a push over it. */
async function pushedSince(checkout: Checkout, headSha: string, signal: AbortSignal) {
  try {
    await obtainCommit(checkout, headSha, signal);
    const diff = await diffCommits({ gitDir: checkout.gitDir, signal }, headSha, checkout.headSha);
    return { headSha, files: parseGitDiff(diff) };
  } catch (error) {
    signal.throwIfAborted();
    if ((error as { code?: unknown }).code === 'COMMIT_MISSING') return undefined;
    throw error;
  }
}

function lostHead(sha: string): string {
  return `The head reviewed before (${sha.slice(0, 10)}) is gone, so everything was read again.`;
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}
