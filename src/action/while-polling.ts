import { setTimeout as sleep } from 'node:timers/promises';
import { readCommentsSince, isAnswer } from '../intake/answers-on-github.ts';
import { carryOut } from '../intake/carry-out.ts';
import type { Carrying } from '../intake/carry-out.ts';
import type { JobOutcome, JobRequest } from '../bot/job/job.ts';
import type { Host } from '../handle-event.ts';
import type { Reading } from '../triggers/reading.ts';
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
  { since, seen: before }: PollingStart,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
): Promise<void> {
  const { services } = host;
  const seen = new Set(before);
  for (let pause = firstMs; !ended.aborted; pause = Math.min(pause * 1.5, longestMs)) {
    await sleep(pause, undefined, { signal: ended, ref: false }).catch(() => {});
    if (ended.aborted) return;
    await take(job, host, since, seen).catch((error: unknown) => {
      if (!ended.aborted) services.log('comments could not be read', error);
    });
  }
}

async function take(job: JobRequest, host: Host, since: Date, seen: Set<number>): Promise<void> {
  const { access, config, turn, session, signal, surface } = job;
  const { repo, subject } = turn.reading;
  const layers = { operator: host.operator, repository: {}, inputs: host.inputs };
  const carrying: Carrying = {
    ...{ access, config, surface, signal, session, host, layers, repository: repo.id, problem: undefined },
    queued: () => {},
  };
  const place = { access, config, repo, subject, host };
  for await (const intake of readCommentsSince(place, since, seen, isWanted)) {
    // A word that came too late for the turn is for the run that its comment starts.
    if (intake.kind !== 'turn') await carryOut(intake, carrying);
  }
}

function isWanted(reading: Reading): boolean {
  return isAnswer(reading) || (reading.kind === 'command' && ['say', 'stop'].includes(reading.command.name));
}
