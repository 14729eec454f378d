import { join } from 'node:path';
import type { BotOptions } from './assembly/bot-options.ts';
import { botServices, servicesOver } from './assembly/bot-services.ts';
import { layFoundations } from './assembly/foundations.ts';
import { partsOfJobs } from './assembly/parts-of-jobs.ts';
import { readiness } from './assembly/readiness.ts';
import { handedBack } from './bot/job/handed-back.ts';
import type { JobOutcome, JobRequest } from './bot/job/job.ts';
import { runJob } from './bot/job/run-job.ts';
import type { BotServices } from './bot/job/services.ts';
import { sweepLeftovers } from './docker/sweep/sweep-leftovers.ts';
import type { Swept } from './docker/sweep/sweep-leftovers.ts';
import type { SessionPersistence } from './harness/session/persistence.ts';
import type { SessionId } from './harness/session/types.ts';
import { surfaceUnder } from './publish/progress/surface-under.ts';
import type { Redactor } from './publish/redact.ts';
import type { CompactRequest } from './room/compact-session.ts';
import { SETUP } from './room/set-up-tree.ts';
import type { CompactionResult } from './seams/compaction/types.ts';
import type { LeaseTerms } from './store/hold-lease.ts';
import type { Lease } from './store/lease.ts';
import type { Store } from './store/open-store.ts';
import type { Records } from './store/records.ts';
import type { EventReader } from './triggers/read-event.ts';

export type { BotOptions } from './assembly/bot-options.ts';

export interface Bot {
  readonly redactor: Redactor;
  readonly sessions: SessionPersistence;
  readonly records: Records;
  /** The folder of what was too long for a session's log. */
  spillsOf(session: SessionId): string;
  readonly readers: readonly EventReader[];
  /** What answers people without the model. */
  readonly services: BotServices;
  /** The same for who works under this lease: who lost it writes nothing more beside the logs (persistence.md B1). */
  servicesUnder(lease: Lease): BotServices;
  runJob(request: JobRequest): Promise<JobOutcome>;
  /** `/dsh compact`: condenses what the model remembers of a session that rests; `null` where there is nothing to. */
  compact(request: CompactRequest): Promise<CompactionResult | null>;
  /** Whether another delivery has the cause (T5). Else this one has it from now on. */
  causeTaken(repo: number, cause: string, delivery: string): Promise<boolean>;
  readonly leaseTerms: LeaseTerms;
  /** Why no turn can run at the moment; empty where one can. */
  notReady(): Promise<string[]>;
  /** Calls when another process took something in; returns what ends it. */
  onNews(listener: () => void): () => Promise<void>;
  /** One timetable for all processes that share the store, where it can keep one. */
  readonly sharedTimetable: Store['sharedTimetable'];
  /** The process is about to end: turns stop after their running step, and are left to others. */
  wind(): void;
  /** Takes away what dead workers left in engine and data directory. Never rejects. */
  sweepLeftovers(): Promise<Swept>;
  /** Lets go of the session store. */
  close(): Promise<void>;
}

/** The one place where parts are chosen and wired together. Everything below is handed what it needs. */
export function createBot(options: BotOptions): Bot {
  const foundations = layFoundations(options);
  const { env, records, redactor, store, writers, winding, spillRoot, place, now } = foundations;
  const parts = partsOfJobs(foundations, records);
  const services = botServices(foundations, parts);
  return {
    ...{ redactor, records, services, readers: options.readers ?? [] },
    ...{ sessions: store.sessions, leaseTerms: foundations.leaseTerms, sharedTimetable: store.sharedTimetable },
    spillsOf: (session) => join(spillRoot, session),
    servicesUnder: (lease) => ({ ...services, ...servicesOver(records.under(lease), foundations, parts) }),
    runJob: (request) =>
      writers.hold(request.session, request.signal, (signal, lease, isOurs) => {
        const surface = surfaceUnder(request.surface, () => {
          if (!isOurs()) throw handedBack(request.session);
        });
        return runJob({ ...request, signal, surface }, partsOfJobs(foundations, records.under(lease)));
      }),
    compact: services.compact,
    causeTaken: async (repo, cause, delivery) => (await records.causes.take(repo, cause, delivery)) !== delivery,
    notReady: readiness(foundations),
    onNews: (listener) => store.onNews(listener),
    wind: () => winding.abort(),
    sweepLeftovers: () => sweepLeftovers({ ...place, setupFolder: join(env.dataDir, SETUP), now }),
    close: () => store.close(),
  };
}
