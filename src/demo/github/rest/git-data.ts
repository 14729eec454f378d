import type { Git } from '../git/git.ts';
import { readCommit } from '../git/read-commits.ts';
import { isEmptyRepository } from '../git/refs.ts';
import { writeBlobs } from '../git/write-blobs.ts';
import { fullNameOf } from '../hub.ts';
import { identityOf, webFlow } from '../identity.ts';
import { emptyRepository, notFound, unprocessable } from '../refusal.ts';
import { wrap } from './contents.ts';
import { created, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { gitCommitView } from '../views/commit.ts';
import { timestamp } from '../views/timestamp.ts';

const read = { app: 'contents:read' };
const write = { app: 'contents:write', person: 'write' as const };

export const gitDataRoutes: Route[] = [
  repositoryRoute('POST /git/blobs', write, async (call) => {
    await refuseEmpty(call);
    const { content, encoding = 'utf-8' } = call.body as { content: string; encoding?: string };
    if (encoding !== 'utf-8' && encoding !== 'base64') throw unprocessable('Unsupported encoding');
    const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
    const [sha] = await writeBlobs(call.hub.git(call.repository), [bytes]);
    return created({ sha, url: `${gitUrl(call)}/blobs/${sha}` });
  }),
  repositoryRoute('GET /git/blobs/{file_sha}', read, async (call) => {
    const sha = call.params.file_sha!;
    const git = call.hub.git(call.repository);
    if ((await git.ask(['cat-file', '-t', sha])) !== 'blob') throw notFound();
    const bytes = await git.run(['cat-file', 'blob', sha]);
    const url = `${gitUrl(call)}/blobs/${sha}`;
    return ok({
      sha,
      node_id: `B_${sha}`,
      size: bytes.length,
      url,
      encoding: 'base64',
      content: wrap(bytes.toString('base64')),
    });
  }),
  repositoryRoute('POST /git/commits', write, createCommit),
  repositoryRoute('GET /git/commits/{commit_sha}', read, async (call) => {
    await refuseEmpty(call);
    const commit =
      /^[0-9a-f]{40}$/.test(call.params.commit_sha!) &&
      (await readCommit(call.hub.git(call.repository), call.params.commit_sha!));
    if (!commit) throw notFound();
    return ok(gitCommitView(call.hub, call.repository, commit));
  }),
];

/** The Git Data API refuses a repository without a commit. */
export async function refuseEmpty({ hub, repository }: RepositoryCall): Promise<void> {
  if (await isEmptyRepository(hub.git(repository))) throw emptyRepository();
}

export const gitUrl = ({ hub, repository }: RepositoryCall) => `${hub.apiUrl}/repos/${fullNameOf(repository)}/git`;

interface CommitBody {
  message: string;
  tree: string;
  parents?: string[];
  author?: { name: string; email: string; date?: string };
  committer?: { name: string; email: string; date?: string };
}

async function createCommit(call: RepositoryCall) {
  await refuseEmpty(call);
  const { message, tree, parents = [], author, committer } = call.body as unknown as CommitBody;
  const git = call.hub.git(call.repository);
  await checkObjects(git, tree, parents);

  const now = timestamp(call.hub.now());
  const signs = call.actor.kind === 'app' && !author && !committer;
  const own = { ...identityOf(call.hub, call.account), date: now };
  const by = author ? { ...author, date: author.date ?? now } : own;
  const from = { date: now, ...(committer ?? author ?? (signs ? webFlow : own)) };
  const env = {
    ...stamp('AUTHOR', by),
    ...stamp('COMMITTER', from),
  };
  const sha = await git.text(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'], {
    input: message,
    env,
  });
  if (signs) call.repository.verified.add(sha);
  return created(gitCommitView(call.hub, call.repository, (await readCommit(git, sha))!));
}

async function checkObjects(git: Git, tree: string, parents: string[]): Promise<void> {
  const input = [tree, ...parents].map((sha) => `${sha}\n`).join('');
  const [treeType, ...types] = (await git.text(['cat-file', '--batch-check=%(objecttype)'], { input })).split('\n');
  if (treeType !== 'tree') throw unprocessable('Tree SHA does not exist');
  if (types.some((type) => type !== 'commit'))
    throw unprocessable('Parent SHA does not exist or is not a commit object');
}

function stamp(
  role: string,
  { name, email, date }: { name: string; email: string; date: string },
): Record<string, string> {
  return { [`GIT_${role}_NAME`]: name, [`GIT_${role}_EMAIL`]: email, [`GIT_${role}_DATE`]: date };
}
