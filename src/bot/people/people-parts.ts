import type { HumanRequests } from '../../store/records.ts';
import type { RepositoryAccess } from '../job/job.ts';
import type { LiveTurns } from '../job/live-turns.ts';

/** What everything about people's requests stands on. */
export interface PeopleParts {
  readonly requests: HumanRequests;
  readonly live: Pick<LiveTurns, 'of'>;
  readonly now: () => Date;
  readonly redact: (text: string) => string;
  readonly log: (message: string, error?: unknown) => void;
}

/** Where the comments of requests are. */
export type CommentPlace = Pick<RepositoryAccess, 'github' | 'repo' | 'ownLogin'>;
