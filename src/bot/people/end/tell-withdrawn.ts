import type { SessionEvent, SessionId } from '../../../harness/session/types.ts';
import { REQUEST_TEXTS } from '../../../publish/request/request-texts.ts';
import type { WithdrawnWhy } from '../../../publish/request/request-texts.ts';
import type { Redactor } from '../../../publish/redact.ts';
import type { Surface } from '../../../publish/progress/surface.ts';
import type { HumanRequest } from '../../../store/records.ts';
import { JobView } from '../../telling/job-view.ts';
import { takeUp } from '../../job/take-up.ts';
import { dataOf } from '../request-data.ts';
import { jobOf } from '../ask/request-job.ts';

export interface TellingParts {
  readonly redactor: Redactor;
  readonly now: () => Date;
  readonly log: (message: string, error?: unknown) => void;
  logOf(session: SessionId): Promise<readonly SessionEvent[]>;
}

/** A parked job whose question was withdrawn goes on no more: its progress says so (P5). */
export async function tellWithdrawn(
  withdrawn: readonly HumanRequest[],
  surface: Surface,
  parts: TellingParts,
): Promise<void> {
  const jobs = new Map(withdrawn.map((request) => [jobOf(request).turn.reading.cause, request]));
  for (const request of jobs.values()) {
    await tell(request, surface, parts).catch((error: unknown) =>
      parts.log(`the end of the job of ${request.id} could not be told`, error),
    );
  }
}

async function tell(request: HumanRequest, surface: Surface, parts: TellingParts): Promise<void> {
  const { turn } = jobOf(request);
  const { session } = request;
  const { cause } = turn.reading;
  const events = await parts.logOf(session);
  const view = new JobView({ turn, session }, parts);
  view.watch(() => events, takeUp(events, { cause, opening: undefined }).from);
  view.model = modelOf(events) ?? view.model;
  const progress = await surface.openProgress(turn, { session, cause }, view.draw);
  const { withdrawn } = REQUEST_TEXTS[dataOf(request).language];
  const text = withdrawn[request.answer?.value as WithdrawnWhy];
  await progress.end({ state: 'stopped', parts: [{ kind: 'markdown', text }] });
}

function modelOf(events: readonly SessionEvent[]): string | undefined {
  const header = events.findLast((event) => event.type === 'request/header');
  if (header?.type !== 'request/header') return undefined;
  const { provider, model } = header.data.header.config;
  return `${provider}/${model}`;
}
