import type { GitHub } from '../../../github/client.ts';
import { git } from '../../../github/git/git.ts';
import { statusOf } from '../../../github/request-hook.ts';
import { chooseTemplate, PLACES, TEMPLATE_FOLDERS } from '../../../publish/pull-request/choose-template.ts';
import type { BaseCommit } from '../../context/read-base-files.ts';
import { readBaseFile } from '../../context/read-base-files.ts';

/** The template that GitHub would lay out for a new pull request (U4): the repository's own, else its owner's for all. */
export async function readPullTemplate(
  base: BaseCommit,
  { github, owner }: { github: GitHub; owner: string },
): Promise<string | undefined> {
  const path = chooseTemplate(await listFiles(base));
  const own = path === undefined ? undefined : await readBaseFile(base, path);
  if (isTemplate(own)) return own;
  const owners = await readOwnersTemplate(github, owner, base.signal);
  return isTemplate(owners) ? owners : undefined;
}

/** Not where it says nothing, or is no text. */
function isTemplate(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '' && !text.includes('\0');
}

/** Files where a template may lie; a link is none. */
async function listFiles({ gitDir, sha, signal }: BaseCommit): Promise<string[]> {
  const root = await git(['ls-tree', '-z', sha], { gitDir, signal });
  const folders = await git(['ls-tree', '-z', sha, ...PLACES.filter(Boolean)], { gitDir, signal });
  const entries = [root, folders].flatMap(({ stdout }) => stdout.toString().split('\0'));
  return entries.filter((entry) => entry.startsWith('100')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
}

/** Of the public repository `.github`, where an organization keeps what its repositories have not of their own. */
async function readOwnersTemplate(
  github: GitHub,
  owner: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const place = { owner, repo: '.github', request: { signal } };
  try {
    const { data } = await github.rest.repos.get(place);
    if (data.private) return undefined;
    const listed = await Promise.all(TEMPLATE_FOLDERS.map((folder) => listFolder(github, place, folder)));
    const path = chooseTemplate(listed.flat());
    if (path === undefined) return undefined;
    const file = await github.rest.repos.getContent({ ...place, path });
    return Array.isArray(file.data) || !('content' in file.data)
      ? undefined
      : Buffer.from(file.data.content, 'base64').toString('utf8');
  } catch {
    // A token for one repository may see no other. Whatever it was: without a template the work is published all the same.
    signal?.throwIfAborted();
    return undefined;
  }
}

async function listFolder(
  github: GitHub,
  place: { owner: string; repo: string; request: { signal: AbortSignal | undefined } },
  folder: string,
): Promise<string[]> {
  try {
    const { data } = await github.rest.repos.getContent({ ...place, path: folder.replace(/\/$/, '') });
    return Array.isArray(data) ? data.flatMap(({ type, path }) => (type === 'file' ? [path] : [])) : [];
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}
