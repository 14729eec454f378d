import { z } from 'zod';
import type { HumanRequest, NewDelivery } from '../../../store/records.ts';
import type { GitHubEvent } from '../../../triggers/reading.ts';
import { jobOf } from '../ask/request-job.ts';

/** The name of the host's own deliveries that wake a parked session. */
export const WAKE_EVENT = 'dsh_wake';

const Wake = z.object({ request: z.string() });

/** A delivery that makes whoever works the session look at a request; it names repository and subject as GitHub's do. */
export function wakeDelivery(request: HumanRequest, at: number): NewDelivery {
  const { turn, installationId } = jobOf(request);
  const { repo, subject } = turn.reading;
  return {
    id: `wake-${request.id}-${at}`,
    key: `${repo.id}-${subject.number}`,
    name: WAKE_EVENT,
    receivedAt: at,
    payload: {
      request: request.id,
      repository: {
        id: repo.id,
        name: repo.repo,
        full_name: `${repo.owner}/${repo.repo}`,
        owner: { login: repo.owner, id: 0, type: 'User' },
        private: repo.private,
        default_branch: repo.defaultBranch,
      },
      ...(installationId !== undefined && { installation: { id: installationId } }),
    },
  };
}

/** Which request an event wakes; undefined for every event of GitHub's. */
export function wokenRequest({ name, payload }: GitHubEvent): string | undefined {
  if (name !== WAKE_EVENT) return undefined;
  const parsed = Wake.safeParse(payload);
  return parsed.success ? parsed.data.request : undefined;
}
