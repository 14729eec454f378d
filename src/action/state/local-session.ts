import { createHash } from 'node:crypto';
import type { SessionPersistence, StoredSession } from '../../harness/session/persistence.ts';
import type { SessionHeader, SessionId } from '../../harness/session/types.ts';
import type { StoredJob } from '../../bot/people/ask/request-job.ts';
import type { EventRepository } from '../../triggers/reading.ts';
import type { HumanRequest, Records } from '../../store/records.ts';
import type { SessionFile } from './session-file.ts';
import { readSpills, writeSpills } from './spill-files.ts';

/** Where the session is while a run works on it. */
export interface LocalStore {
  readonly sessions: SessionPersistence;
  readonly records: Records;
  /** The folder of a session's long texts. */
  spillsOf(session: SessionId): string;
}

/** Of long texts, the older ones are left out; to read one then fails as for any file that is gone. */
const MAX_SPILL_BYTES = 32 * 1024 * 1024;

/** All that this run's store holds of a session of a repository. */
export async function collectSession(
  session: SessionId,
  repository: number,
  { sessions, records, spillsOf }: LocalStore,
): Promise<SessionFile> {
  const headers = familyOf(session, await sessions.list());
  const logs = await Promise.all(headers.map(({ id }) => sessions.inspect(id)));
  const subjects = await records.subjects.of(session);
  return {
    logs,
    requests: await requestsOf(logs, records),
    subjects: subjects.filter(({ repo }) => repo === repository).map(({ number }) => number),
    settings: await records.settings.get(session),
    causes: await records.causes.of(repository),
    snapshot: await records.snapshots.latest(session),
    spills: await readSpills(spillsOf(session), MAX_SPILL_BYTES),
  };
}

/**
 * Puts a session into this run's store, which knows nothing of it yet. What an earlier attempt of this very run took is
 * free again: whoever runs a workflow again wants it done.
 */
export async function restoreSession(
  file: SessionFile,
  { session, repo, isRunAgain }: Restored,
  { sessions, records, spillsOf }: LocalStore,
): Promise<void> {
  for (const { meta, events } of file.logs) {
    await sessions.create(meta);
    await sessions.append(meta.id, events);
  }
  for (const request of file.requests) {
    await records.requests.add({ ...UNTOLD, ...request, job: atRepository(request.job, repo) });
  }
  for (const number of file.subjects) await records.subjects.assign(repo.id, number, session);
  await records.settings.set(session, file.settings);
  for (const { cause, delivery } of file.causes) {
    if (!isRunAgain(delivery)) await records.causes.take(repo.id, cause, delivery);
  }
  if (file.snapshot) await records.snapshots.put(session, file.snapshot);
  await writeSpills(spillsOf(session), file.spills);
}

/** A repository may be renamed, or its default branch, while a job of it waits. */
function atRepository(job: HumanRequest['job'], repo: EventRepository): HumanRequest['job'] {
  const { turn } = job as unknown as StoredJob;
  if (turn?.reading?.repo?.id !== repo.id) return job;
  return {
    ...(job as object),
    turn: { ...turn, reading: { ...turn.reading, repo } },
  } as unknown as HumanRequest['job'];
}

/** What JSON leaves out of a request. */
const UNTOLD = { callId: undefined, commentId: undefined, answer: undefined };

export interface Restored {
  readonly session: SessionId;
  /** As it is called now. */
  readonly repo: EventRepository;
  /** Whether a delivery is an earlier attempt of the run that restores. */
  readonly isRunAgain: (delivery: string) => boolean;
}

/** Tells two states of a session apart: logs only grow, long texts only with them, and a cause alone is not worth a save. Pure. */
export function essenceOf(
  session: SessionId,
  { logs, causes: _, spills: __, snapshot, ...facts }: SessionFile,
): string {
  const lengths = logs.map(({ meta, events }) => [meta.id, events.length]);
  const parts = [session, lengths, snapshot?.digest ?? null, facts];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Whether there is anything to keep. Pure. */
export function isBlank({ logs, requests, settings, snapshot }: SessionFile): boolean {
  return logs.length === 0 && requests.length === 0 && Object.keys(settings).length === 0 && !snapshot;
}

/** The session first, then its child agents, theirs and so on. */
function familyOf(session: SessionId, headers: readonly SessionHeader[]): SessionHeader[] {
  const own = headers.filter(({ id }) => id === session);
  const children = headers.filter(({ parentSession }) => parentSession === session);
  return [...own, ...children.flatMap(({ id }) => familyOf(id, headers))];
}

async function requestsOf(logs: readonly StoredSession[], records: Records): Promise<HumanRequest[]> {
  const ids = logs.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'human/asked' ? [event.data.request] : [])),
  );
  const found = await Promise.all([...new Set(ids)].map((id) => records.requests.get(id)));
  return found.filter((request) => request !== undefined);
}
