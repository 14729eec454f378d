import { readCommit, readCommits } from '../git/read-commits.ts';
import { readDiff } from '../git/read-diff.ts';
import { isEmptyRepository } from '../git/refs.ts';
import { fullNameOf, issuesOf } from '../hub.ts';
import { emptyRepository, notFound, unprocessable } from '../refusal.ts';
import { page } from './paginate.ts';
import { fileView } from './pull-diff.ts';
import { ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { commitView } from '../views/commit.ts';
import { pullSimpleView } from '../views/pull.ts';

const mostComparedFiles = 300;
const read = { app: 'contents:read' };

export const commitRoutes: Route[] = [
  repositoryRoute('GET /commits', read, async (call) => {
    const { hub, repository, query } = call;
    const git = hub.git(repository);
    if (await isEmptyRepository(git)) throw emptyRepository();
    const start = await readCommit(git, query.sha ?? repository.defaultBranch);
    if (!start) throw notFound();
    const since = query.since ? [`--since=${query.since}`] : [];
    const commits = await readCommits(git, [
      ...since,
      '-n',
      '1000',
      start.sha,
      '--',
      ...(query.path ? [query.path] : []),
    ]);
    return page(call, commits, (commit) => commitView(hub, repository, commit));
  }),
  repositoryRoute('GET /commits/{commit_sha}/pulls', { app: 'pull_requests:read' }, (call) => {
    const pulls = issuesOf(call.repository).filter(
      ({ pull }) => pull?.head.sha === call.params.commit_sha || pull?.merged?.sha === call.params.commit_sha,
    );
    return page(call, pulls, (issue) => pullSimpleView(call.hub, call.repository, issue, issue.pull!));
  }),
  repositoryRoute('GET /commits/{ref}', read, async (call) => {
    const { hub, repository } = call;
    const commit = await commitOf(call, call.params.ref!);
    const parent = commit.parents[0] ?? '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
    const files = (await readDiff(hub.git(repository), parent, commit.sha)).slice(0, mostComparedFiles);
    const sum = (field: 'additions' | 'deletions') => files.reduce((total, file) => total + file[field], 0);
    const stats = {
      additions: sum('additions'),
      deletions: sum('deletions'),
      total: sum('additions') + sum('deletions'),
    };
    return ok({
      ...commitView(hub, repository, commit),
      stats,
      files: files.map((file) => fileView(hub, repository, commit.sha, file)),
    });
  }),
  repositoryRoute('GET /compare/{basehead}', read, compare),
];

/** The commit a ref or sha of a request names. */
export async function commitOf({ hub, repository }: RepositoryCall, ref: string) {
  const git = hub.git(repository);
  if (await isEmptyRepository(git)) throw emptyRepository();
  const commit = await readCommit(git, ref.replace(/^(heads|tags)\//, 'refs/$1/'));
  if (!commit) throw unprocessable(`No commit found for SHA: ${ref}`);
  return commit;
}

async function compare(call: RepositoryCall) {
  const { hub, repository, params } = call;
  const git = hub.git(repository);
  const [left = '', right = ''] = params.basehead!.split('...');
  const [base, head] = await Promise.all([left, right].map((name) => readCommit(git, name.replace(/^.*:/, ''))));
  if (!base || !head) throw notFound();
  const fork = await git.ask(['merge-base', base.sha, head.sha]);
  if (fork === undefined) throw notFound();

  const [commits, counts, files, mergeBase] = await Promise.all([
    readCommits(git, ['--reverse', `${base.sha}..${head.sha}`]),
    git.text(['rev-list', '--left-right', '--count', `${base.sha}...${head.sha}`]),
    readDiff(git, fork, head.sha),
    readCommit(git, fork),
  ]);
  const [behind = 0, ahead = 0] = counts.split('\t').map(Number);
  const url = `${hub.apiUrl}/repos/${fullNameOf(repository)}/compare/${params.basehead}`;
  const html = `${hub.url}/${fullNameOf(repository)}/compare/${params.basehead}`;
  const reply = await page(call, commits, (commit) => commitView(hub, repository, commit));
  const body = {
    url,
    html_url: html,
    permalink_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: commitView(hub, repository, base),
    merge_base_commit: commitView(hub, repository, mergeBase!),
    status: statusOf(ahead, behind),
    ahead_by: ahead,
    behind_by: behind,
    total_commits: commits.length,
    commits: reply.body,
    files: files.slice(0, mostComparedFiles).map((file) => fileView(hub, repository, head.sha, file)),
  };
  return { ...reply, body };
}

function statusOf(ahead: number, behind: number): string {
  if (ahead > 0 && behind > 0) return 'diverged';
  if (ahead > 0) return 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}
