import type { Config } from '../../config/config.ts';
import type { AgentLlmTarget } from '../../harness/agent/types.ts';
import type { SessionEvent, SessionId } from '../../harness/session/types.ts';
import type { Redactor } from '../../publish/redact.ts';
import type { Records } from '../../store/records.ts';
import type { LiveTurns } from './live-turns.ts';
import type { Room, RoomOptions } from './room.ts';
import type { SetupReport, SetupRequest } from './setup-report.ts';

/** What a job needs of the composition root. */
export interface JobParts {
  readonly dataDir: string;
  readonly redactor: Redactor;
  readonly now: () => Date;
  readonly log: (message: string, error?: unknown) => void;
  /** Throws `MODEL_NOT_CONFIGURED`. */
  targetOf(config: Config): AgentLlmTarget;
  /** Engine and image, before anything is spent. Throws `SANDBOX_UNAVAILABLE`. */
  checkSandbox(config: Config): Promise<void>;
  /** Puts dependencies into the tree. Its failures are told in the report; it throws only when aborted. */
  setUpTree(request: SetupRequest): Promise<SetupReport | undefined>;
  openRoom(options: RoomOptions): Promise<Room>;
  /** The stored log of a session; empty where there is none. */
  logOf(session: SessionId): Promise<readonly SessionEvent[]>;
  /** Removes the containers that a lost worker left to a session which this process holds now. */
  endSandboxesOf(session: SessionId): Promise<void>;
  /** Aborted when the process is about to end: a turn stops after its running step, and is left to another one (H3). */
  readonly winding?: AbortSignal;
  /** What is kept beside the session logs. */
  readonly records: Records;
  /** Where people find the turn while it runs. */
  readonly live: LiveTurns;
  /** Set where none of it outlives this run: what a turn leaves unpublished is then given with its result (U8). */
  readonly forgetful?: boolean | undefined;
  /** A git directory on this machine whose objects need no fetching, such as a runner's (C1). */
  readonly borrowFrom?: string | undefined;
}

/** What cannot be tidied away is for the operator: it takes nothing from what the job came to. */
export async function tidied(work: Promise<void>, { log }: JobParts): Promise<void> {
  await work.catch((error: unknown) => log('something was left behind', error));
}
