import { z } from 'zod';
import { Dispatch } from './read-dispatch.ts';
import type { EventRepository, GitHubEvent } from './reading.ts';
import { Repository } from './payload.ts';

const WithRepository = z.object({ repository: Repository, installation: z.object({ id: z.number() }).nullish() });

export interface EventPlace {
  readonly repo: EventRepository;
  readonly installationId: number | undefined;
}

/** Which repository an event is about, and through which installation it came; undefined for events about none. */
export function placeOf(event: GitHubEvent): EventPlace | undefined {
  if (event.name === 'dsh_dispatch') {
    const dispatch = Dispatch.safeParse(event.payload);
    return dispatch.success ? { repo: dispatch.data.repo, installationId: undefined } : undefined;
  }
  const parsed = WithRepository.safeParse(event.payload);
  if (!parsed.success) return undefined;
  const { repository, installation } = parsed.data;
  const repo = {
    id: repository.id,
    owner: repository.owner.login,
    repo: repository.name,
    private: repository.private,
    defaultBranch: repository.default_branch,
  };
  return { repo, installationId: installation?.id };
}
