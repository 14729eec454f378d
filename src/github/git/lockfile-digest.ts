import { createHash } from 'node:crypto';
import { gitText } from './git.ts';

/** Files that fix which dependencies a tree gets, at any depth. */
const LOCKFILES =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|requirements[^/]*\.txt|poetry\.lock|Pipfile\.lock|uv\.lock|pdm\.lock|go\.sum|Cargo\.lock|Gemfile\.lock|composer\.lock|gradle\.lockfile|mix\.lock)$/;
/** What stands in for them in a tree that has none. */
const MANIFESTS =
  /(^|\/)(package\.json|pyproject\.toml|setup\.(py|cfg)|Pipfile|go\.mod|Cargo\.toml|Gemfile|[^/]+\.gemspec|pom\.xml|(build|settings)\.gradle(\.kts)?|composer\.json)$/;

/** One word for all lockfiles of a commit, by path and content. */
export async function lockfileDigest(gitDir: string, sha: string, signal?: AbortSignal): Promise<string> {
  const listed = await gitText(['ls-tree', '-r', '-z', sha], { gitDir, signal });
  const entries = listed.split('\0').filter(Boolean);
  const named = (pattern: RegExp) => entries.filter((entry) => pattern.test(entry.slice(entry.indexOf('\t') + 1)));
  const locked = named(LOCKFILES);
  return createHash('sha256')
    .update((locked.length > 0 ? locked : named(MANIFESTS)).join('\0'))
    .digest('hex');
}
