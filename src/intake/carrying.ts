import type { Problem } from '../bot/job/job.ts';
import type { Opening } from '../bot/job/opening.ts';
import type { Place } from '../bot/job/services.ts';
import type { Host } from '../handle-event.ts';
import type { SessionId } from '../harness/session/types.ts';

export interface Carrying extends Place {
  readonly host: Host;
  /** Known before the turn, such as a settings file that cannot be read. */
  readonly problem: Problem | undefined;
  readonly session: SessionId;
  /** Called when a turn has its place in the session's order: what comes next may be handled (T8). */
  readonly queued: () => void;
  /** How a turn begins; by default with a person's words. */
  readonly opening?: Opening;
}
