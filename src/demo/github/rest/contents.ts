import { isEmptyRepository, readRef } from '../git/refs.ts';
import { fullNameOf } from '../hub.ts';
import { notFound, Refusal } from '../refusal.ts';
import { ok, repositoryRoute, type Reply, type RepositoryCall, type Route } from './route.ts';

interface Entry {
  mode: string;
  type: string;
  sha: string;
  size: number;
  path: string;
}

const mostInlineBytes = 1_048_576;
const read = { app: 'contents:read' };

export const contentRoutes: Route[] = [
  repositoryRoute('GET /contents/{path}', read, (call) => contents(call, call.params.path!.replace(/\/$/, ''))),
  repositoryRoute('GET /contents', read, (call) => contents(call, '')),
  repositoryRoute('GET /readme', read, async (call) => {
    const names = (await listFolder(call, await treeish(call), '')).map((entry) => entry.path);
    const readme = names.find((name) => /^readme(\.\w+)?$/i.test(name));
    if (readme === undefined) throw notFound();
    return contents(call, readme);
  }),
];

async function contents(call: RepositoryCall, path: string): Promise<Reply> {
  const revision = await treeish(call);
  if (path === '') return ok((await listFolder(call, revision, '')).map((entry) => entryView(call, entry)));
  const git = call.hub.git(call.repository);
  const entry = parse(await git.text(['ls-tree', '-z', '-l', revision, '--', path]))[0];
  if (!entry) throw notFound();
  if (entry.type === 'tree')
    return ok((await listFolder(call, revision, `${path}/`)).map((child) => entryView(call, child)));
  return fileReply(call, entry);
}

async function treeish({ hub, repository, query }: RepositoryCall): Promise<string> {
  const git = hub.git(repository);
  if (await isEmptyRepository(git)) throw new Refusal(404, 'This repository is empty.');
  const wanted = query.ref ?? repository.defaultBranch;
  const commit = (await readRef(git, `refs/heads/${wanted}`)) ?? (await readRef(git, `${wanted}^{commit}`));
  if (!commit) throw new Refusal(404, `No commit found for the ref ${wanted}`);
  return commit;
}

async function listFolder({ hub, repository }: RepositoryCall, revision: string, prefix: string): Promise<Entry[]> {
  return parse(await hub.git(repository).text(['ls-tree', '-z', '-l', revision, ...(prefix ? ['--', prefix] : [])]));
}

function parse(listing: string): Entry[] {
  return listing
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const [head = '', path = ''] = line.split('\t');
      const [mode = '', type = '', sha = '', size] = head.split(/\s+/);
      return { mode, type, sha, size: Number(size) || 0, path };
    });
}

async function fileReply(call: RepositoryCall, entry: Entry): Promise<Reply> {
  const raw = /application\/vnd\.github\.(v3\.)?raw/.test(String(call.headers.accept ?? ''));
  const view = entryView(call, entry);
  if (entry.type === 'commit') return ok({ ...view, submodule_git_url: null });
  const bytes = await call.hub.git(call.repository).run(['cat-file', 'blob', entry.sha]);
  if (raw)
    return { status: 200, body: bytes, headers: { 'content-type': 'application/vnd.github.raw; charset=utf-8' } };
  if (view.type === 'symlink') return ok({ ...view, target: bytes.toString() });
  if (entry.size > mostInlineBytes) return ok({ ...view, encoding: 'none', content: '' });
  return ok({ ...view, encoding: 'base64', content: wrap(bytes.toString('base64')) });
}

/** GitHub breaks base64 into lines of 60. */
export const wrap = (base64: string) => base64.replace(/.{1,60}/g, '$&\n');

function entryView({ hub, repository, query }: RepositoryCall, { mode, type, sha, size, path }: Entry) {
  const ref = query.ref ?? repository.defaultBranch;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const api = `${hub.apiUrl}/repos/${fullNameOf(repository)}`;
  const self = `${api}/contents/${encoded}?ref=${ref}`;
  const html = `${hub.url}/${fullNameOf(repository)}/blob/${ref}/${encoded}`;
  const gitUrl = `${api}/git/${type === 'tree' ? 'trees' : 'blobs'}/${sha}`;
  const kinds: Record<string, string> = { '040000': 'dir', '120000': 'symlink', '160000': 'submodule' };
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    sha,
    size,
    url: self,
    html_url: html,
    git_url: gitUrl,
    download_url: type === 'blob' ? `${hub.url}/${fullNameOf(repository)}/raw/${ref}/${encoded}` : null,
    type: kinds[mode] ?? 'file',
    _links: { self, git: gitUrl, html },
  };
}
