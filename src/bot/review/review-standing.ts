import type { DiffFile } from '../../github/diff/types.ts';
import { codeReader, keyFindings } from '../../publish/review/key-findings.ts';
import type { KeyedFinding, ReadCode } from '../../publish/review/key-findings.ts';
import type { LedgerEntry } from '../../publish/review/ledger.ts';
import { atItsPlace } from '../../publish/review/place-finding.ts';
import { mergeReaders } from '../../publish/review/merge-readers.ts';
import { readReviewHistory, threadStates } from '../../publish/review/read-ledger.ts';
import { reconcile } from '../../publish/review/reconcile.ts';
import { weighFinding } from '../../publish/review/weigh-finding.ts';
import { checkSuggestions } from './check-suggestions.ts';
import { changedMeanwhile } from './changed-meanwhile.ts';
import { findFixes } from './find-fixes.ts';
import type { Workplace } from '../job/job-kind.ts';
import { readBaseFile } from '../context/read-base-files.ts';
import { recheckOpen } from './recheck-open.ts';
import { refuteFindings } from './refute-findings.ts';
import { MAX_CHILDREN } from './review-child.ts';
import type { Review } from './review-state.ts';

/** Everything there is to tell, before it is put into words. */
export interface Standing {
  readonly fresh: readonly KeyedFinding[];
  readonly earlier: readonly LedgerEntry[];
  readonly fixedNow: ReadonlySet<string>;
  readonly history: Awaited<ReturnType<typeof readReviewHistory>>;
  readonly moved: Awaited<ReturnType<typeof changedMeanwhile>>;
  readonly headFile: (path: string) => string | undefined;
}

/** Holds what was found against the head as it is now, against earlier reviews, and against a second look (R6, R7, R12). */
export async function standingOf(workplace: Workplace, review: Review): Promise<Standing> {
  const { checkout, signal, subject } = workplace;
  const { access } = review.request;
  const { whole, pushed, headPaths } = review.input!;
  const pull = { ...access, number: subject.number };
  const paths = whole.map(({ path }) => path);
  // Read again: people may have settled threads meanwhile.
  const history = await readReviewHistory(pull, signal);
  const { ledger, threads } = history;
  const wanted = [...pathsFound(review), ...ledger.entries.map(({ path }) => path)];
  const headFile = await readHeadFiles(workplace, wanted, whole);
  const read = codeReader(whole, headFile);
  const {
    fresh: found,
    entries,
    fixed,
  } = reconcile(ledger, findingsOf(review, whole, read), {
    ...{ headSha: checkout.headSha, read, nameOf: namesIn(whole) },
    threadOf: threads && threadStates(threads, access.ownLogin),
  });
  const maxChildren = MAX_CHILDREN - (review.readers.length - 1);
  const { kept, refuted, unchecked } = await refuteFindings(workplace, found, {
    files: whole,
    paths: headPaths,
    maxChildren,
  });
  if (unchecked > 0) review.attention.push(`${unchecked} of ${found.length} findings had no second look.`);
  const left = { files: whole, paths: headPaths, pushed, threads: threads ?? [], ownLogin: access.ownLogin };
  const mended = await recheckOpen(workplace, { ...left, entries, maxChildren: maxChildren - found.length });
  const fixedNow = new Set([...fixed, ...mended]);
  const standing = entries.map((entry) => (fixedNow.has(entry.id) ? { ...entry, state: 'fixed' as const } : entry));
  const earlier = await findFixes(checkout, ledger.reviewedHead, standing, fixedNow, signal);
  const settled = [...earlier, ...refuted.map((keyed) => refutedEntry(keyed, checkout.headSha))];
  const { ctx: root, agent } = workplace;
  const policy = root.get('sandboxPolicy')?.resolve({ session: agent.session });
  const fresh = await checkSuggestions(kept, { root, policy, signal, files: whole, headFile });
  // Last of all: the looks take minutes, and what is pushed meanwhile is neither approved nor commented on.
  const moved = await changedMeanwhile(pull, checkout, paths, signal);
  return { fresh, earlier: settled, fixedNow, history, moved, headFile };
}

/** What all readers found, weighed by what each of them ran; what is too doubtful to be told is left out. */
function findingsOf({ readers, request }: Review, whole: readonly DiffFile[], read: ReadCode): KeyedFinding[] {
  const { minConfidence } = request.config.review;
  const found = readers.map(({ findings, commands }) => {
    const weighed = findings.flatMap((finding) => weighFinding(atItsPlace(finding, whole), commands) ?? []);
    return keyFindings(weighed, read);
  });
  return mergeReaders(found).filter(({ finding }) => finding.confidence >= minConfidence);
}

function namesIn(files: readonly DiffFile[]): (path: string) => string {
  const renamed = new Map(files.flatMap(({ path, previousPath }) => (previousPath ? [[previousPath, path]] : [])));
  return (path) => renamed.get(path) ?? path;
}

function refutedEntry({ finding, mark }: KeyedFinding, since: string): LedgerEntry {
  const { path, side, endLine: line, severity, title } = finding;
  const told = { path, side, line, severity, title };
  return { id: `${mark.fingerprint}-refuted`, ...mark, ...told, state: 'refuted', inline: false, since };
}

function pathsFound({ readers }: Review): string[] {
  return readers.flatMap(({ findings }) => findings.map(({ path }) => path));
}

/** The head's text of each of these files, read once; a renamed one is found by both names. */
async function readHeadFiles(
  { checkout, signal }: Workplace,
  paths: readonly string[],
  files: readonly { path: string; previousPath?: string }[],
) {
  const head = { gitDir: checkout.gitDir, sha: checkout.headSha, signal };
  const renamed = files.flatMap(({ path, previousPath }) =>
    previousPath && paths.includes(previousPath) ? [path] : [],
  );
  const wanted = [...new Set([...paths, ...renamed])];
  const texts = new Map(await Promise.all(wanted.map(async (path) => [path, await readBaseFile(head, path)] as const)));
  return (path: string) => texts.get(path);
}
