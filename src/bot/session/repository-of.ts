import type { SessionEvent } from '../../harness/session/types.ts';
import type { LoggedRepo } from './session-events.ts';

/** The repository that the last turn from GitHub was about. Pure. */
export function repositoryOf(events: readonly SessionEvent[]): LoggedRepo | undefined {
  for (const event of events.toReversed()) {
    if (event.type !== 'turn/start') continue;
    const { trigger } = event.data;
    if ('repo' in trigger) return trigger.repo;
  }
  return undefined;
}
