import type { SessionEvent } from '../../harness/session/types.ts';
import type { HumanRequest, HumanRequests } from '../../store/records.ts';
import type { JobRequest } from '../job/job.ts';
import type { TakeUp } from '../job/take-up.ts';
import { storedJob } from './ask/request-job.ts';

/** As a log's {@link TakeUp}, with what the records say of the request it waits for. */
export type JobStanding = TakeUp | { readonly kind: 'answer'; readonly from: number; readonly request: HumanRequest };

/** A turn that waits is gone on with once its request is settled; one whose request was never stored got no answer. */
export async function standOfJob(
  take: TakeUp,
  events: readonly SessionEvent[],
  job: JobRequest,
  requests: HumanRequests,
): Promise<JobStanding> {
  if (take.kind !== 'waits') return take;
  const stored = await requests.get(take.request);
  if (stored?.state === 'pending') return take;
  return { kind: 'answer', from: take.from, request: stored ?? neverStored(take.request, events, job) };
}

/** The process was lost between its log and its records, so nobody ever saw the question. */
function neverStored(id: string, events: readonly SessionEvent[], job: JobRequest): HumanRequest {
  const asked = events.findLast((event) => event.type === 'human/asked' && event.data.request === id);
  const { kind, turn, callId } = (asked as SessionEvent<'human/asked'>).data;
  const { actor, repo } = job.turn.reading;
  return {
    ...{ id, kind, turn, callId, session: job.session, repo: repo.id, tool: '', digest: '', job: storedJob(job) },
    data: { kind, language: 'en', headSha: '', snapshot: null, questions: [], shown: {}, touches: [] },
    ...{ askedOf: { id: actor.id, login: actor.login }, commentId: undefined, askedAt: 0, expiresAt: 0 },
    state: 'unavailable',
    answer: { actor: undefined, how: 'withdrawn', value: 'lost', url: undefined, at: 0 },
  };
}
