import { setTimeout as sleep } from 'node:timers/promises';
import { readCommentsSince } from '../intake/answers-on-github.ts';
import { carryOut } from '../intake/carry-out.ts';
import type { Carrying } from '../intake/carrying.ts';
import type { JobOutcome, JobRequest } from '../bot/job/job.ts';
import type { Host } from '../handle-event.ts';
import type { Reading } from '../triggers/reading.ts';
import { PolledComments } from './polled-comments.ts';
import type { PollingStart } from './polling-start.ts';

const FIRST_MS = 15_000;
const LONGEST_MS = 60_000;

/**
 * Runs a job and looks meanwhile what people write below its subject (H12): no webhook reaches a runner, and the run that a
 * comment starts waits for this one. Answers, `say` and `stop` are taken; what starts a turn is left to that run.
 */
export async function whilePolling(
  job: JobRequest,
  hostOf: () => Host,
  run: () => Promise<JobOutcome>,
  start: PollingStart,
  pace: { readonly firstMs: number; readonly longestMs: number } = { firstMs: FIRST_MS, longestMs: LONGEST_MS },
): Promise<JobOutcome> {
  const ended = new AbortController();
  const polling = poll(job, hostOf(), ended.signal, start, pace);
  try {
    return await run();
  } finally {
    ended.abort();
    await polling;
  }
}

async function poll(
  job: JobRequest,
  host: Host,
  ended: AbortSignal,
  start: PollingStart,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
): Promise<void> {
  const { services } = host;
  for (let pause = firstMs; !ended.aborted; pause = Math.min(pause * 1.5, longestMs)) {
    await sleep(pause, undefined, { signal: ended, ref: false }).catch(() => {});
    if (ended.aborted) return;
    await take(job, host, start).catch((error: unknown) => {
      if (!ended.aborted) services.log('comments could not be read', error);
    });
  }
}

async function take(job: JobRequest, host: Host, { since, seen }: PollingStart): Promise<void> {
  const { access, config, turn, session, signal, surface } = job;
  const { repo, subject } = turn.reading;
  const layers = { operator: host.operator, repository: {}, inputs: host.inputs };
  const carrying: Carrying = {
    ...{ access, config, surface, signal, session, host, layers, repository: repo.id, problem: undefined },
    queued: () => {},
  };
  const comments = new PolledComments(job, host);
  const place = { access, config, repo, subject, host: comments.host };
  const isWanted = (reading: Reading, all: readonly Reading[]) => comments.isWanted(reading, all);
  for await (const intake of readCommentsSince(place, since, seen, isWanted)) await carryOut(intake, carrying);
  for (const id of comments.tooEarly) seen.delete(id);
}
