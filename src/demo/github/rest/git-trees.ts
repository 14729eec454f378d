import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasPermission } from '../access.ts';
import type { Git } from '../git/git.ts';
import { listRefs } from '../git/refs.ts';
import { writeBlobs } from '../git/write-blobs.ts';
import { notForIntegration, notFound, unprocessable } from '../refusal.ts';
import { gitUrl, refuseEmpty } from './git-data.ts';
import { created, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';

interface TreeItem {
  path: string;
  mode: string;
  type?: string;
  sha?: string | null;
  content?: string;
}

type Placed = TreeItem & { sha: string | null };

const modes = new Set(['100644', '100755', '040000', '160000', '120000']);
const mostEntries = 100_000;

export const gitTreeRoutes: Route[] = [
  repositoryRoute('POST /git/trees', { app: 'contents:write', person: 'write' }, async (call) => {
    await refuseEmpty(call);
    const { tree, base_tree: base } = call.body as unknown as { tree: TreeItem[]; base_tree?: string };
    const items = await place(call, tree);
    await checkWorkflows(call, items);
    const sha = await writeTree(call, base, items);
    return created(await treeView(call, sha, false));
  }),
  repositoryRoute('GET /git/trees/{tree_sha}', { app: 'contents:read' }, async (call) => {
    await refuseEmpty(call);
    const sha = await call.hub
      .git(call.repository)
      .ask(['rev-parse', '--quiet', '--verify', '--end-of-options', `${call.params.tree_sha}^{tree}`]);
    if (!sha) throw notFound();
    return ok(await treeView(call, sha, call.query.recursive !== undefined));
  }),
];

/** Stores inline content: from here on every item has a sha, or null for its removal. */
async function place({ hub, repository }: RepositoryCall, items: TreeItem[]): Promise<Placed[]> {
  items.forEach(checkItem);
  const inline = items.filter(({ content }) => content !== undefined);
  const shas = await writeBlobs(
    hub.git(repository),
    inline.map(({ content }) => Buffer.from(content!)),
  );
  return items.map((item) => ({ ...item, sha: item.content === undefined ? item.sha! : shas[inline.indexOf(item)]! }));
}

function checkItem({ path, mode, sha, content }: TreeItem): void {
  const parts = path.split('/');
  const isMalformed = parts.some((part) => ['', '.', '..'].includes(part) || part.toLowerCase() === '.git');
  if (!modes.has(mode)) throw unprocessable(`tree.mode must be one of ${[...modes].join(', ')}`);
  if (path.startsWith('/')) throw unprocessable('tree.path cannot start with a slash');
  if (isMalformed) throw unprocessable('tree.path contains a malformed path component');
  if (sha === undefined && content === undefined) throw unprocessable('Must supply either tree.sha or tree.content');
}

/** An app without `workflows` may only carry workflow files that some branch has already. */
async function checkWorkflows({ hub, repository, actor }: RepositoryCall, items: Placed[]): Promise<void> {
  if (actor.kind !== 'app' || hasPermission(actor.permissions, 'workflows:write')) return;
  const workflows = items.filter(({ path }) => path.startsWith('.github/workflows/'));
  if (workflows.length === 0) return;
  const git = hub.git(repository);
  const heads = [...(await listRefs(git, 'refs/heads/')).values()];
  for (const { path, sha } of workflows) {
    const known = await Promise.all(
      heads.map((head) => git.ask(['rev-parse', '--quiet', '--verify', `${head.sha}:${path}`])),
    );
    if (sha === null || !known.includes(sha)) throw notForIntegration();
  }
}

async function writeTree(
  { hub, repository }: RepositoryCall,
  base: string | undefined,
  items: Placed[],
): Promise<string> {
  const git = hub.git(repository);
  const index = join(repository.gitDir, `index-${randomUUID()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    if (base !== undefined) await readBase(git, base, env);
    const removed = await removals(git, items, env);
    const lines = items
      .filter(({ sha, mode }) => sha !== null && mode !== '040000')
      .map(({ path, mode, sha }) => `${mode} ${sha}\t${path}`);
    await checkObjects(git, items);
    await git.run(['update-index', '--add', '--replace', '-z', '--index-info'], {
      env,
      input: [...removed, ...lines, ''].join('\0'),
    });
    for (const { path, sha, mode } of items)
      if (sha && mode === '040000') await git.run(['read-tree', `--prefix=${path}/`, sha], { env });
    return await git.text(['write-tree'], { env });
  } finally {
    await rm(index, { force: true });
  }
}

async function readBase(git: Git, base: string, env: Record<string, string>): Promise<void> {
  const tree = await git.ask(['rev-parse', '--quiet', '--verify', '--end-of-options', `${base}^{tree}`]);
  if (!tree) throw notFound();
  await git.run(['read-tree', tree], { env });
}

/** A null sha removes a file, or everything below a folder. What is not there cannot be removed. */
async function removals(git: Git, items: Placed[], env: Record<string, string>): Promise<string[]> {
  const gone = items.filter(({ sha }) => sha === null).map(({ path }) => path);
  if (gone.length === 0) return [];
  const listed = (await git.run(['ls-files', '-z', '--cached'], { env })).toString().split('\0');
  return gone.flatMap((path) => {
    const files = listed.filter((file) => file === path || file.startsWith(`${path}/`));
    if (files.length === 0) throw unprocessable('GitRPC::BadObjectState');
    return files.map((file) => `0 ${'0'.repeat(40)}\t${file}`);
  });
}

async function checkObjects(git: Git, items: Placed[]): Promise<void> {
  const given = items.filter(({ sha, content, mode }) => sha !== null && content === undefined && mode !== '160000');
  if (given.length === 0) return;
  const types = await git.text(['cat-file', '--batch-check=%(objecttype)'], {
    input: given.map(({ sha }) => `${sha}\n`).join(''),
  });
  types.split('\n').forEach((type, at) => {
    const { sha, path, mode } = given[at]!;
    const wanted = mode === '040000' ? 'tree' : 'blob';
    if (type !== wanted) throw unprocessable(`tree.sha ${sha} is not a valid ${wanted} (${path})`);
  });
}

async function treeView(call: RepositoryCall, sha: string, recursive: boolean) {
  const git = call.hub.git(call.repository);
  const listing = await git.run(['ls-tree', '-z', '-l', ...(recursive ? ['-r', '-t'] : []), sha]);
  const entries = listing
    .toString()
    .split('\0')
    .filter(Boolean)
    .map((line) => entryView(call, line));
  return {
    sha,
    url: `${gitUrl(call)}/trees/${sha}`,
    tree: entries.slice(0, mostEntries),
    truncated: entries.length > mostEntries,
  };
}

function entryView(call: RepositoryCall, line: string) {
  const [head = '', path = ''] = line.split('\t');
  const [mode, type = '', sha = '', size] = head.split(/\s+/);
  const url = type === 'commit' ? {} : { url: `${gitUrl(call)}/${type}s/${sha}` };
  return { path, mode, type, sha, ...(type === 'blob' ? { size: Number(size) } : {}), ...url };
}
