import type { JobOutcome, JobRequest, Problem, RepositoryAccess } from './bot/job/job.ts';
import { wokenRequest } from './bot/people/wake/wake-delivery.ts';
import { carryOut } from './intake/carry-out.ts';
import { wakeSession } from './intake/wake-session.ts';
import { mergeConfig } from './config/merge-config.ts';
import type { ConfigFile } from './config/config-file.ts';
import type { Config } from './config/config.ts';
import { lookUpFacts, meetsNobody } from './intake/look-up-facts.ts';
import { ignored, isFinal } from './intake/ignored.ts';
import { endRepositories } from './bot/session/end-repositories.ts';
import { problemOf } from './bot/telling/problem.ts';
import type { BotServices } from './bot/job/services.ts';
import type { SessionId } from './harness/session/types.ts';
import type { Surface } from './publish/progress/surface.ts';
import { decide } from './triggers/decide.ts';
import { postponeReview, readingsLeft } from './intake/postpone-review.ts';
import type { Postpone } from './intake/postpone-review.ts';
import { placeOf } from './triggers/place-of.ts';
import { readInstallation } from './triggers/read-installation.ts';
import type { EventPlace } from './triggers/place-of.ts';
import { readEvent } from './triggers/read-event.ts';
import type { EventReader } from './triggers/read-event.ts';
import type { OwnIdentity } from './triggers/trigger-config.ts';
import type { GitHubEvent, IgnoreReason, Reading, ReadSubject } from './triggers/reading.ts';

/** What a host (App, Action, terminal) supplies; from here on all three are the same. */
export interface Host {
  readonly self: OwnIdentity;
  readonly operator: ConfigFile;
  /** Inputs and flags: the last layer. */
  readonly inputs: ConfigFile;
  openRepository(place: EventPlace): Promise<RepositoryAccess>;
  surfaceFor(access: RepositoryAccess, config: Config): Surface;
  runJob(request: JobRequest): Promise<JobOutcome>;
  /** Whether a turn of this cause stands in the session's log already, or was told by a run whose log is not at hand. */
  causeTaken(session: SessionId, reading: ReadSubject, access: RepositoryAccess): Promise<boolean>;
  readonly signal: AbortSignal;
  /** What answers people without the model, and what is kept beside the logs. */
  readonly services: BotServices;
  /** Where the host keeps events: those that are to be handled later. */
  readonly postpone?: Postpone;
  /** For events that our own reader has no use for. */
  readonly readers?: readonly EventReader[];
}

export interface Handled {
  readonly status: 'completed' | 'parked' | 'stopped' | 'failed' | 'ignored' | 'refused' | 'replied';
  readonly why?: IgnoreReason | string;
  readonly outcome?: JobOutcome;
  readonly problem?: Problem;
}

/**
 * The whole story: an event is read, what it needs is looked up, it is decided, and the decision is carried out.
 * `decided` is called once only the event's turn is left: the session's next event may be handled while it waits and runs (T8).
 */
export async function handleEvent(event: GitHubEvent, host: Host, decided = () => {}): Promise<Handled[]> {
  const removed = readInstallation(event);
  if (removed) {
    const ended = await endRepositories(removed, host.services);
    return [ended > 0 ? { status: 'replied', why: removed.why } : { status: 'ignored', why: 'nothing-to-end' }];
  }
  const place = placeOf(event);
  const first = readEvent(event, { ...mergeConfig(host.operator, host.inputs), self: host.self }, host.readers);
  const woken = wokenRequest(event);
  if (!place || (woken === undefined && (await areAllFinal(first, host)))) return first.map(ignored);

  const access = await host.openRepository(place);
  const { config, layers, problem } = await readEffectiveConfig(access, host);
  if (problem && isNoLongerOurs(problem)) {
    if (woken !== undefined) await giveUp(woken, host.services);
    return first.map(() => ({ status: 'ignored', why: 'not-installed' }));
  }
  const surface = host.surfaceFor(access, config);
  if (woken !== undefined) {
    const at = { access, repository: place.repo.id, config, layers, surface, signal: host.signal };
    const { promise: queued, resolve } = Promise.withResolvers<void>();
    const waking = wakeSession(woken, { ...at, problem, host, queued: resolve });
    await Promise.race([queued, waking]);
    decided();
    return [await waking];
  }
  const handled: Promise<Handled>[] = [];
  const refused = new Set<string>();
  for (const reading of readingsLeft(event, readEvent(event, { ...config, self: access.self }, host.readers))) {
    if (await postponeReview(event, reading, config, { postpone: host.postpone, now: host.services.now })) {
      handled.push(Promise.resolve({ status: 'ignored', why: 'waits-for-pushes' }));
      continue;
    }
    const facts = await lookUpFacts(reading, access, host);
    const intake = decide(reading, facts, config);
    // A comment of many commands is refused as one, or anybody could make us write as often as he likes.
    if (intake.kind === 'refuse' && refused.has(intake.why)) {
      handled.push(Promise.resolve({ status: 'ignored', why: 'refused-before' }));
      continue;
    }
    if (intake.kind === 'refuse') refused.add(intake.why);
    const at = { access, repository: place.repo.id, config, layers, surface, signal: host.signal };
    const { promise: queued, resolve } = Promise.withResolvers<void>();
    const carrying = carryOut(intake, { ...at, problem, session: facts.session, host, queued: resolve });
    handled.push(carrying);
    // Also hears a failure of the turn long before the turn is waited for.
    await Promise.race([queued, carrying]);
  }
  decided();
  return await Promise.all(handled);
}

/** The app was taken away or suspended while the delivery was on its way (X8). */
function isNoLongerOurs({ code, message }: Problem): boolean {
  return code === 'INSTALLATION_GONE' || (code === 'GITHUB_FORBIDDEN' && /has been suspended/i.test(message));
}

/** Nobody told us that the app was taken away while this waited: else it would be woken for ever. */
async function giveUp(id: string, { records, people }: BotServices): Promise<void> {
  const request = await records.requests.get(id);
  if (request) await people?.withdraw(request.session, 'uninstalled', undefined);
}

/** Nobody is there for any of it: then GitHub is not asked at all. */
async function areAllFinal(readings: readonly Reading[], host: Host): Promise<boolean> {
  const final = await Promise.all(readings.map(async (one) => isFinal(one) || (await meetsNobody(one, host))));
  return final.every(Boolean);
}

/** A broken repository file stops only the turn that needs it: until then the operator's settings hold. */
async function readEffectiveConfig(access: RepositoryAccess, host: Host) {
  try {
    const repository = await access.repositoryConfig(host.operator);
    const layers = { operator: host.operator, repository, inputs: host.inputs };
    return { config: mergeConfig(host.operator, repository, host.inputs), layers, problem: undefined };
  } catch (error) {
    const layers = { operator: host.operator, repository: {}, inputs: host.inputs };
    return { config: mergeConfig(host.operator, host.inputs), layers, problem: problemOf(error) };
  }
}
