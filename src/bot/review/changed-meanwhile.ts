import { git } from '../../github/git/git.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import type { GitHub } from '../../github/client.ts';
import type { RepoRef } from '../../github/repository.ts';
import { statusOf } from '../../github/request-hook.ts';

export interface MovedHead {
  readonly headSha: string;
  /** Files of the pull request that are not what they were at the reviewed head. */
  readonly paths: ReadonlySet<string>;
}

/** What was pushed while a head was reviewed (R12); undefined where nothing was. */
export async function changedMeanwhile(
  { github, repo, number }: { github: GitHub; repo: RepoRef; number: number },
  checkout: Checkout,
  reviewed: readonly string[],
  signal: AbortSignal,
): Promise<MovedHead | undefined> {
  const pull = { ...repo, pull_number: number, request: { signal } };
  const { data } = await github.rest.pulls.get(pull);
  const headSha = data.head.sha;
  if (headSha === checkout.headSha) return undefined;
  const now = await blobsNow(github, pull);
  if (!now) return { headSha, paths: new Set(reviewed) };
  const before = await blobsAt(checkout, signal);
  return { headSha, paths: new Set(reviewed.filter((path) => now.get(path) !== (before.get(path) ?? REMOVED))) };
}

const REMOVED = 'removed';

/** Undefined where the pull request is more than GitHub lists. */
async function blobsNow(
  github: GitHub,
  pull: RepoRef & { pull_number: number; request: object },
): Promise<Map<string, string> | undefined> {
  try {
    const files = await github.paginate(github.rest.pulls.listFiles, { ...pull, per_page: 100 });
    return new Map(files.map(({ filename, status, sha }) => [filename, status === 'removed' ? REMOVED : (sha ?? '')]));
  } catch (error) {
    if (statusOf(error) === 406 || statusOf(error) === 422) return undefined;
    throw error;
  }
}

async function blobsAt({ gitDir, headSha }: Checkout, signal: AbortSignal): Promise<Map<string, string>> {
  const { stdout } = await git(['ls-tree', '-r', '-z', headSha], { gitDir, signal });
  const entries = stdout.toString().split('\0').filter(Boolean);
  return new Map(entries.map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry.split(/[ \t]/)[2] ?? '']));
}
