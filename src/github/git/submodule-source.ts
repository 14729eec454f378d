import type { Repository } from '../repository.ts';

export interface SubmoduleSource {
  owner: string;
  repo: string;
  cloneUrl: string;
}

type Parent = Pick<Repository, 'owner' | 'cloneUrl'>;

/**
 * Where a submodule's URL leads: undefined unless it is a repository of the same server and of the parent's owner or
 * one of `owners`. The token goes along, so the rest of the world is not asked. Relative and SSH forms are understood.
 */
export function submoduleSource(url: string, parent: Parent, owners: string[] = []): SubmoduleSource | undefined {
  const target = resolveUrl(url, parent.cloneUrl);
  const [, owner, repo, ...more] = target?.pathname.replace(/\/$/, '').split('/') ?? [];
  if (!target || !owner || !repo || more.length > 0) return undefined;
  if (target.origin !== new URL(parent.cloneUrl).origin || target.username || target.password) return undefined;
  if (![parent.owner, ...owners].some((one) => one.toLowerCase() === owner.toLowerCase())) return undefined;
  return { owner, repo: repo.replace(/\.git$/, ''), cloneUrl: target.href };
}

function resolveUrl(url: string, parentUrl: string): URL | undefined {
  const ssh = /^(?:ssh:\/\/)?git@(?<host>[\w.-]+)[:/](?<path>.+)$/.exec(url);
  if (ssh) return URL.parse(`https://${ssh.groups!.host}/${ssh.groups!.path}`) ?? undefined;
  // `../lib.git` counts from the parent repository as if that were a folder.
  if (/^\.\.?\//.test(url)) return URL.parse(url, `${parentUrl.replace(/\/$/, '')}/`) ?? undefined;
  const absolute = URL.parse(url);
  return absolute && /^https?:$/.test(absolute.protocol) ? absolute : undefined;
}
