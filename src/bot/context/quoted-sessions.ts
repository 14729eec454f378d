import type { HookContext } from '../../harness/agent/types.ts';
import { foldSurface } from '../../harness/session/fold-surface.ts';
import type { SessionEvent, SessionId, SurfaceEvent } from '../../harness/session/types.ts';
import { projectSurface } from '../../seams/session-reference/project-surface.ts';
import { quoteContext } from '../../seams/session-reference/quote-context.ts';
import type { CapturedSession } from '../../seams/session-reference/quote-context.ts';
import { foldSessionTitle } from '../../seams/session-title/fold-title.ts';
import type { JobRequest } from '../job/job.ts';
import type { Profile } from '../limits/profile.ts';
import { sessionOf } from '../session/session-of.ts';
import type { Records } from '../../store/records.ts';

interface StoredLogs {
  readonly records: Pick<Records, 'subjects'>;
  logOf(session: SessionId): Promise<readonly SessionEvent[]>;
  log(message: string, error?: unknown): void;
}

const MAX_QUOTED = 3;
const MAX_BYTES = 32 * 1024;

/**
 * What was said in the sessions of other issues and pull requests that the request names as `#12`: of this repository
 * only, and never for those who may not have a turn of their own in it. What cannot be read is left out.
 */
export async function quotedSessions(
  { turn: { reading }, session }: JobRequest,
  parts: StoredLogs,
  profile: Profile,
): Promise<HookContext[]> {
  if (profile !== 'trusted' || reading.kind !== 'command') return [];
  const captured: CapturedSession[] = [];
  for (const number of namedSubjects(reading.command.text, reading.subject.number)) {
    const place = { ...reading, subject: { kind: 'issue' as const, number }, markedSession: undefined };
    const id = await sessionOf(place, parts.records.subjects);
    if (id === session || captured.some(({ sessionId }) => sessionId === id)) continue;
    const events = await parts.logOf(id).catch((error: unknown) => {
      parts.log(`the session of #${number} could not be quoted`, error);
      return [];
    });
    if (events.length > 0) captured.push({ sessionId: id, ...captureOf(events, number) });
  }
  return captured.length > 0 ? [quoteContext(captured, MAX_BYTES)] : [];
}

/** The first few others that a text names. Pure. */
export function namedSubjects(text: string, own: number): number[] {
  const named = Array.from(text.matchAll(/(?<![\w/&#])#(\d{1,9})(?!\w)/g), ([, number]) => Number(number));
  return [...new Set(named)].filter((number) => number !== own).slice(0, MAX_QUOTED);
}

function captureOf(events: readonly SessionEvent[], number: number): Omit<CapturedSession, 'sessionId'> {
  const surface = foldSurface(events).nodes.map((seq) => events[seq] as SurfaceEvent);
  const title = foldSessionTitle(events)?.title;
  return {
    label: title === undefined ? `#${number}` : `#${number} ${title}`,
    capturedThroughSeq: events.at(-1)?.seq ?? null,
    messages: projectSurface(surface),
  };
}
