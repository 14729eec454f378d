import { findPull } from '../changes/find-pull.ts';
import { pullRange } from '../git/pull-range.ts';
import { readCommits } from '../git/read-commits.ts';
import { readDiff, readDiffText, type DiffFile } from '../git/read-diff.ts';
import { fullNameOf, type Hub } from '../hub.ts';
import type { Pull, Repository } from '../records.ts';
import { Refusal } from '../refusal.ts';
import { page } from './paginate.ts';
import { repositoryRoute, type Reply, type RepositoryCall, type Route } from './route.ts';
import { commitView } from '../views/commit.ts';

/** GitHub's limits on diffs: https://docs.github.com/en/repositories/creating-and-managing-repositories/repository-limits */
const mostFiles = 300;
const mostLines = 20_000;
const mostListedFiles = 3000;
const mostPatchBytes = 500_000;

/** The diff itself, when the `Accept` header asks for it; undefined otherwise. Too large a diff is a 406. */
export async function pullDiff(call: RepositoryCall, pull: Pull): Promise<Reply | undefined> {
  const kind = /application\/vnd\.github\.(?:v3\.)?(diff|patch)\b/.exec(String(call.headers.accept ?? ''))?.[1];
  if (!kind) return undefined;
  const git = call.hub.git(call.repository);
  const { from, to } = await pullRange(call.hub, call.repository, pull);
  refuseLarge(await readDiff(git, from, to));
  const body =
    kind === 'diff' ? await readDiffText(git, from, to) : await git.run(['format-patch', '--stdout', `${from}..${to}`]);
  return { status: 200, body, headers: { 'content-type': `application/vnd.github.v3.${kind}; charset=utf-8` } };
}

/** One file of a pull request or comparison. */
export function fileView(hub: Hub, repository: Repository, head: string, file: DiffFile) {
  const path = file.filename.split('/').map(encodeURIComponent).join('/');
  const html = `${hub.url}/${fullNameOf(repository)}`;
  return {
    sha: file.sha,
    filename: file.filename,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${html}/blob/${head}/${path}`,
    raw_url: `${html}/raw/${head}/${path}`,
    contents_url: `${hub.apiUrl}/repos/${fullNameOf(repository)}/contents/${path}?ref=${head}`,
    ...(file.patch !== undefined && !isTooLarge(file) ? { patch: file.patch } : {}),
    ...(file.previousFilename === undefined ? {} : { previous_filename: file.previousFilename }),
  };
}

const read = { app: 'pull_requests:read' };

export const pullDiffRoutes: Route[] = [
  repositoryRoute('GET /pulls/{pull_number}/files', read, async (call) => {
    const { pull } = findPull(call.repository, call.params.pull_number);
    const { from, to } = await pullRange(call.hub, call.repository, pull);
    const files = (await readDiff(call.hub.git(call.repository), from, to)).slice(0, mostListedFiles);
    return page(call, files, (file) => fileView(call.hub, call.repository, to, file));
  }),
  repositoryRoute('GET /pulls/{pull_number}/commits', read, async (call) => {
    const { pull } = findPull(call.repository, call.params.pull_number);
    const { from, to } = await pullRange(call.hub, call.repository, pull);
    const commits = await readCommits(call.hub.git(call.repository), ['--reverse', `${from}..${to}`]);
    return page(call, commits.slice(0, 250), (commit) => commitView(call.hub, call.repository, commit));
  }),
];

function refuseLarge(files: DiffFile[]): void {
  const lines = files.reduce((sum, file) => sum + file.additions + file.deletions, 0);
  if (files.length > mostFiles) throw tooLarge(`maximum number of files (${mostFiles})`);
  if (lines > mostLines) throw tooLarge(`maximum number of lines (${mostLines})`);
}

function tooLarge(what: string): Refusal {
  const advice = "Consider using 'List pull requests files' API or locally cloning the repository instead.";
  return new Refusal(406, `Sorry, the diff exceeded the ${what}. ${advice}`, [
    { resource: 'PullRequest', field: 'diff', code: 'too_large' },
  ]);
}

const isTooLarge = (file: DiffFile) =>
  file.additions + file.deletions > mostLines || file.patch!.length > mostPatchBytes;
