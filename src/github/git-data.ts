import type { GitHub } from './client.ts';
import { isDryRunAnswer } from './dry-run.ts';
import { fileRefused } from './errors.ts';
import type { RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';
import type { StagedTree } from './tree/stage-changes.ts';
import type { TreeChange, WrittenFile } from './tree/types.ts';

type TreeEntry =
  | { path: string; mode: WrittenFile['mode']; type: 'blob'; content: string }
  | { path: string; mode: WrittenFile['mode']; type: 'blob'; sha: string | null };

const MAX_CHUNK_ENTRIES = 500;
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
/** A larger text is a blob of its own, since GitHub takes no tree call of any length. */
const MAX_INLINE_BYTES = 1024 * 1024;

/**
 * Makes one commit of staged changes through the Git Data API and answers its id; no ref moves. The author is left
 * to GitHub, which then marks the commit verified for App and Actions tokens.
 */
export async function createCommit(
  github: GitHub,
  repo: RepoRef,
  staged: StagedTree,
  message: string,
  signal?: AbortSignal,
): Promise<string> {
  const tree = await createTree(github, repo, staged, signal);
  const { data } = await github.rest.git.createCommit({
    ...repo,
    message,
    tree,
    parents: [staged.parentSha],
    // A second commit that no ref points to is seen by nobody.
    request: { signal, repeatable: true },
  });
  return data.sha;
}

async function createTree(github: GitHub, repo: RepoRef, staged: StagedTree, signal?: AbortSignal): Promise<string> {
  await uploadBlobs(github, repo, staged.changes, signal);
  let made = staged.parentTreeSha;
  for (const tree of chunksOf(staged.changes)) {
    const request = { signal, repeatable: true };
    const answer = await github.rest.git.createTree({ ...repo, base_tree: made, tree, request });
    if (isDryRunAnswer(answer)) return staged.treeSha;
    made = answer.data.sha;
  }
  if (made !== staged.treeSha) throw new Error(`GitHub made tree ${made} of what is ${staged.treeSha} here`);
  return made;
}

/** Bytes that cannot ride in the tree call, each content once, all at the same time as far as the limits allow. */
async function uploadBlobs(github: GitHub, repo: RepoRef, changes: TreeChange[], signal?: AbortSignal): Promise<void> {
  const files = changes.filter(
    (change) => change.kind !== 'deleted' && !change.inBase && inlineText(change) === undefined,
  );
  const contents = new Map((files as WrittenFile[]).map((file) => [file.sha, file]));
  await Promise.all([...contents.values()].map((file) => uploadBlob(github, repo, file, signal)));
}

async function uploadBlob(
  github: GitHub,
  repo: RepoRef,
  { path, bytes }: WrittenFile,
  signal?: AbortSignal,
): Promise<void> {
  const content = Buffer.from(bytes).toString('base64');
  const request = { signal, repeatable: true };
  await github.rest.git.createBlob({ ...repo, content, encoding: 'base64', request }).catch((error: unknown) => {
    const isTooLarge = statusOf(error) === 413 || /too large/i.test(String((error as Error).message));
    throw isTooLarge ? fileRefused(path, bytes.byteLength, error) : error;
  });
}

/** Chunks build on each other. Deletions come first: a folder may stand now where a file was. */
function chunksOf(changes: TreeChange[]): TreeEntry[][] {
  const deletions = changes.filter(({ kind }) => kind === 'deleted');
  const writes = changes.filter((change) => change.kind !== 'deleted');
  const apart = changesKind(deletions, writes);
  const groups = apart ? [deletions, writes] : [[...deletions, ...writes]];
  return groups.flatMap((group) => split(group.map(toEntry)));
}

/** Whether a path turned from file to folder or back; one call that does both is ambiguous. */
function changesKind(deletions: TreeChange[], writes: TreeChange[]): boolean {
  const gone = new Set(deletions.map(({ path }) => path));
  const isInside = (path: string, paths: Set<string>): boolean =>
    [...path.matchAll(/\//g)].some(({ index }) => paths.has(path.slice(0, index)));
  const made = new Set(writes.map(({ path }) => path));
  return writes.some(({ path }) => isInside(path, gone)) || deletions.some(({ path }) => isInside(path, made));
}

function split(entries: TreeEntry[]): TreeEntry[][] {
  const chunks: TreeEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = 'content' in entry ? entry.content.length : 0;
    const last = chunks.at(-1);
    if (!last || last.length >= MAX_CHUNK_ENTRIES || bytes + size > MAX_CHUNK_BYTES) {
      chunks.push([entry]);
      bytes = size;
    } else {
      last.push(entry);
      bytes += size;
    }
  }
  return chunks;
}

function toEntry(change: TreeChange): TreeEntry {
  const { path } = change;
  if (change.kind === 'deleted') return { path, mode: '100644', type: 'blob', sha: null };
  const content = change.inBase ? undefined : inlineText(change);
  const { mode, sha } = change;
  return content === undefined ? { path, mode, type: 'blob', sha } : { path, mode, type: 'blob', content };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of ordinary length that survives JSON byte for byte. Not an empty one, which the tree call takes for "no content given". */
function inlineText({ bytes }: Pick<WrittenFile, 'bytes'>): string | undefined {
  const size = bytes.byteLength;
  if (size === 0 || size > MAX_INLINE_BYTES || bytes.includes(0)) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
