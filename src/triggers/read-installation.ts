import { z } from 'zod';
import type { EndReason, GitHubEvent } from './reading.ts';

const Repositories = z.array(z.object({ id: z.number() })).default([]);
const Installation = z.object({ action: z.string(), repositories: Repositories });
const Removal = z.object({ action: z.string(), repositories_removed: Repositories });

/** Repositories that the app may no longer work in. */
export interface Removed {
  readonly why: Extract<EndReason, 'uninstalled' | 'suspended'>;
  readonly repositories: readonly number[];
}

const REASONS: Readonly<Record<string, Removed['why']>> = { deleted: 'uninstalled', suspend: 'suspended' };

/** Reads that the app was taken away, or a repository from it; undefined for every other event. Pure. */
export function readInstallation({ name, payload }: GitHubEvent): Removed | undefined {
  if (name === 'installation') {
    const { data } = Installation.safeParse(payload);
    const why = data && REASONS[data.action];
    return why && { why, repositories: data.repositories.map(({ id }) => id) };
  }
  if (name !== 'installation_repositories') return undefined;
  const { data } = Removal.safeParse(payload);
  if (data?.action !== 'removed') return undefined;
  return { why: 'uninstalled', repositories: data.repositories_removed.map(({ id }) => id) };
}
