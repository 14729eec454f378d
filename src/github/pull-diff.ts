import type { RestEndpointMethodTypes } from '@octokit/rest';
import type { GitHub } from './client.ts';
import { contentOf } from './diff/content-of.ts';
import { countLines } from './diff/count-lines.ts';
import { parseHunks } from './diff/parse-hunks.ts';
import type { DiffContent, DiffFile, DiffStatus } from './diff/types.ts';
import type { RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';

export interface PullDiff {
  files: DiffFile[];
  headSha: string;
  baseSha: string;
  /** What came from local git instead of GitHub, in sentences for the review's summary. */
  notes: string[];
}

const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

type ApiFile = RestEndpointMethodTypes['pulls']['listFiles']['response']['data'][number];

/**
 * The three-dot diff of a pull request as GitHub shows it, since only its lines take comments. What GitHub refuses
 * or leaves out comes from `localDiff`, and `notes` says so; it throws rather than answer less than there is.
 */
export async function readPullDiff(
  github: GitHub,
  repo: RepoRef,
  number: number,
  localDiff: () => Promise<DiffFile[]>,
  signal?: AbortSignal,
): Promise<PullDiff> {
  const pull = { ...repo, pull_number: number, request: { signal } };
  const { data } = await github.rest.pulls.get(pull);
  const shas = { headSha: data.head.sha, baseSha: data.base.sha };
  const listed = await listFiles(github, pull);

  if (typeof listed === 'number') {
    const note = `The diff is too large for the API (GitHub answered ${listed}), used local git.`;
    return { ...shas, files: await localDiff(), notes: [note] };
  }
  if (listed.length < data.changed_files) {
    const note = `GitHub lists ${listed.length} of ${data.changed_files} changed files, used local git for all.`;
    return { ...shas, files: await localDiff(), notes: [note] };
  }
  return { ...shas, ...(await fillGaps(listed, localDiff)) };
}

/** A number is the status with which GitHub says that the diff is more than it shows. */
async function listFiles(
  github: GitHub,
  pull: RepoRef & { pull_number: number; request: object },
): Promise<ApiFile[] | 406 | 422> {
  try {
    return await github.paginate(github.rest.pulls.listFiles, { ...pull, per_page: 100 });
  } catch (error) {
    const status = statusOf(error);
    if (status === 406 || status === 422) return status;
    throw error;
  }
}

async function fillGaps(
  listed: ApiFile[],
  localDiff: () => Promise<DiffFile[]>,
): Promise<Pick<PullDiff, 'files' | 'notes'>> {
  const files = listed.map(readApiFile);
  if (!files.some(isUnavailable)) return { files, notes: [] };

  const local = new Map((await localDiff()).map((file) => [file.path, file]));
  const filled = files.map((file) => (isUnavailable(file) ? (local.get(file.path) ?? file) : file));
  const large = files.filter((file) => isUnavailable(file) && file.additions + file.deletions > 0);
  const names = large.map(({ path }) => path).join(', ');
  const note = `GitHub shows no whole patch for ${large.length} large file(s), used local git: ${names}.`;
  return { files: filled, notes: large.length > 0 ? [note] : [] };
}

function isUnavailable({ content }: DiffFile): boolean {
  return content === 'unavailable';
}

const STATUSES: Record<string, DiffStatus> = {
  added: 'added',
  removed: 'removed',
  renamed: 'renamed',
  copied: 'copied',
};

/** GitHub leaves `patch` out for binary files and pure renames, which count no lines, and for large files, which do. */
function readApiFile(raw: ApiFile): DiffFile {
  const { filename: path, previous_filename: previousPath, additions, deletions, patch } = raw;
  const { hunks } = parseHunks(patch?.split('\n') ?? []);
  const counted = countLines(hunks);
  const isWhole = counted.additions === additions && counted.deletions === deletions;
  const content = !isWhole ? 'unavailable' : hunks.length > 0 ? contentOf(hunks) : contentWithoutPatch(raw);
  const status = STATUSES[raw.status] ?? 'modified';
  return { path, ...(previousPath && { previousPath }), status, content, additions, deletions, hunks };
}

/** No line changed: a pure rename, an empty file, or bytes GitHub does not show. A change may also be of the mode alone. */
function contentWithoutPatch({ status, sha }: ApiFile): DiffContent {
  if (status === 'renamed' || status === 'copied' || sha === EMPTY_BLOB) return 'text';
  return status === 'added' || status === 'removed' ? 'binary' : 'unavailable';
}
