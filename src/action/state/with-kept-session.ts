import { tellWithdrawn } from '../../bot/people/end/tell-withdrawn.ts';
import { withdrawRequests } from '../../bot/people/end/withdraw-requests.ts';
import { problemOf } from '../../bot/telling/problem.ts';
import { mergeConfig } from '../../config/merge-config.ts';
import type { Bot } from '../../create-bot.ts';
import { handleEvent } from '../../handle-event.ts';
import type { Handled, Host } from '../../handle-event.ts';
import type { SessionId } from '../../harness/session/types.ts';
import { readEvent } from '../../triggers/read-event.ts';
import type { GitHubEvent, ReadSubject } from '../../triggers/reading.ts';
import { closeForgotten } from './close-forgotten.ts';
import type { KeptSession, Saved } from './kept-session.ts';
import { openKeptSession } from './open-kept-session.ts';
import type { Keeping } from './open-kept-session.ts';
import { wakeAfter, wakeBefore } from './wake-waiting.ts';

export interface KeptRun extends Omit<Keeping, 'access' | 'store' | 'isRunAgain'> {
  readonly bot: Bot;
  readonly host: Host;
  /** Hears that from now on what is stored outlives the run. */
  readonly onKept: () => void;
  /** For people who look at the run: what was not kept. */
  readonly warn: (message: string) => void;
}

/** How long a save may take; a runner that cancels kills what runs 10 seconds later. */
const SAVE_MS = { ended: 120_000, interrupted: 6_000 };

/** Handles an event with what earlier runs left of its session, and leaves it to later ones, however the run ends (H9). */
export async function withKeptSession(event: GitHubEvent, run: KeptRun): Promise<Handled[]> {
  const { bot, host } = run;
  const reading = firstSubjectOf(event, host);
  const kept = reading && (await open(reading, event, run));
  if (!kept) return handleEvent(event, host);
  run.onKept();
  let handled: Handled[];
  let isSaved: boolean;
  try {
    await tellForgotten(reading, run);
    const wakes = { bot, host, session: () => kept.session() };
    const woken = await wakeBefore(reading, wakes);
    const answered = await handleEvent(event, host);
    handled = [...woken, ...answered, ...(await wakeAfter(reading, wakes))];
  } finally {
    isSaved = await save(kept, reading, run);
  }
  return isSaved ? handled : handled.map((one) => (one.status === 'parked' ? { ...one, status: 'stopped' } : one));
}

function firstSubjectOf(event: GitHubEvent, { operator, inputs, self, readers }: Host): ReadSubject | undefined {
  const config = { ...mergeConfig(operator, inputs), self };
  return readEvent(event, config, readers).find((reading) => reading.kind !== 'ignore');
}

/** Where nothing can be kept the run goes on without; what only fails for the moment fails the run, which can be run again. */
async function open(
  reading: ReadSubject,
  { delivery }: GitHubEvent,
  { bot, host, warn, ...keeping }: KeptRun,
): Promise<KeptSession | undefined> {
  const access = await host.openRepository({ repo: reading.repo, installationId: undefined });
  const isRunAgain = (earlier: string) => runOf(earlier) === runOf(delivery);
  try {
    return await openKeptSession(reading, { ...keeping, access, store: bot, isRunAgain }, host.signal);
  } catch (error) {
    const { code, message, hint } = problemOf(error);
    if (code !== 'STATE_UNAVAILABLE') throw error;
    warn(`Nothing of this session is kept between runs: ${message} ${hint}`);
    return undefined;
  }
}

/** Every attempt of a run has a delivery of its own. */
function runOf(delivery: string): string {
  return delivery.replace(/-\d+$/, '');
}

/** A question of which nothing is known any more is closed; what goes wrong with that keeps nobody from anything. */
async function tellForgotten(reading: ReadSubject, { bot, host, log }: KeptRun): Promise<void> {
  try {
    const access = await host.openRepository({ repo: reading.repo, installationId: undefined });
    const { language } = mergeConfig(host.operator, host.inputs);
    const get = (id: string) => bot.records.requests.get(id);
    await closeForgotten(reading, { access, get, language, signal: host.signal });
  } catch (error) {
    log(problemOf(error).message);
  }
}

/** What could not be kept is said, and nobody is left waiting for an answer that no run would understand. False for that. */
async function save(kept: KeptSession, reading: ReadSubject, run: KeptRun): Promise<boolean> {
  const { log, warn, host } = run;
  const ms = host.signal.aborted ? SAVE_MS.interrupted : SAVE_MS.ended;
  try {
    const saved = await kept.save(AbortSignal.timeout(ms));
    log(SAID[saved]);
    if (saved !== 'lost') return true;
    warn(LOST);
  } catch (error) {
    const { message, hint = '' } = problemOf(error);
    warn(`The session could not be kept: ${message} ${hint}`.trim());
  }
  await endRequests(kept, reading, run).catch((error: unknown) => log(problemOf(error).message));
  return false;
}

const SAID: Readonly<Record<Saved, string>> = {
  saved: 'the session is kept for the next run',
  unchanged: 'nothing new to keep of the session',
  lost: 'the session was not kept',
};
const LOST =
  'Another run of this session saved its state meanwhile, so what this one did is not remembered. An issue and the pull request that mends it are one session; the runs of each of them follow one another where the workflow has a `concurrency` group for it.';

async function endRequests(kept: KeptSession, reading: ReadSubject, { bot, host }: KeptRun): Promise<void> {
  const { records, live, now, redact, log } = bot.services;
  const waiting = await records.requests.openOf(await kept.session());
  const open = waiting.filter(({ id }) => !kept.wasAskedBefore(id));
  if (open.length === 0) return;
  const access = await host.openRepository({ repo: reading.repo, installationId: undefined });
  const parts = { requests: records.requests, live, now, redact, log };
  const withdrawn = await withdrawRequests(open, 'lost', access, parts);
  const logOf = async (session: SessionId) => (await bot.sessions.inspect(session)).events;
  const surface = host.surfaceFor(access, mergeConfig(host.operator, host.inputs));
  await tellWithdrawn(withdrawn, surface, { redactor: bot.redactor, now, log, logOf });
}
