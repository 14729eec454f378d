import type { JobOutcome, JobRequest, Problem, RepositoryAccess } from './bot/job.ts';
import { mergeConfig } from './config/config.ts';
import type { Config, ConfigFile } from './config/config.ts';

import { problemOf } from './bot/problem.ts';
import { sessionIdOf } from './bot/session-id.ts';
import type { SessionId } from './harness/session/types.ts';
import type { Surface } from './publish/surface.ts';
import { decide } from './triggers/decide.ts';
import type { Facts, Intake } from './triggers/decide.ts';
import { placeOf } from './triggers/place-of.ts';
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
  /** For events that our own reader has no use for. */
  readonly readers?: readonly EventReader[];
}

export interface Handled {
  readonly status: 'completed' | 'stopped' | 'failed' | 'ignored' | 'refused' | 'replied';
  readonly why?: IgnoreReason | string;
  readonly outcome?: JobOutcome;
  readonly problem?: Problem;
}

/** The whole story: an event is read, what it needs is looked up, it is decided, and the decision is carried out. */
export async function handleEvent(event: GitHubEvent, host: Host): Promise<Handled[]> {
  const place = placeOf(event);
  const first = readEvent(event, { ...mergeConfig(host.operator, host.inputs), self: host.self }, host.readers);
  if (!place || first.every(isFinal)) return first.map(ignored);

  const access = await host.openRepository(place);
  const { config, problem } = await readEffectiveConfig(access, host);
  const surface = host.surfaceFor(access, config);
  const handled: Handled[] = [];
  for (const reading of readEvent(event, { ...config, self: access.self }, host.readers)) {
    const intake = decide(reading, await lookUpFacts(reading, access, host), config);
    handled.push(await carryOut(intake, { access, config, problem, surface, host }));
  }
  return handled;
}

/** Not even the repository's own configuration could make these ours; for them GitHub is not asked at all. */
function isFinal(reading: Reading): boolean {
  return reading.kind === 'ignore' && FINAL.has(reading.why);
}

const FINAL: ReadonlySet<IgnoreReason> = new Set([
  'event-not-used',
  'malformed-payload',
  'nothing-addressed',
  'own-author',
  'marker',
]);

function ignored(reading: Reading): Handled {
  return { status: 'ignored', why: reading.kind === 'ignore' ? reading.why : 'event-not-used' };
}

/** A broken repository file stops only the turn that needs it: until then the operator's settings hold. */
async function readEffectiveConfig(access: RepositoryAccess, host: Host) {
  try {
    const config = mergeConfig(host.operator, await access.repositoryConfig(host.operator), host.inputs);
    return { config, problem: undefined };
  } catch (error) {
    return { config: mergeConfig(host.operator, host.inputs), problem: problemOf(error) };
  }
}

async function lookUpFacts(reading: Reading, access: RepositoryAccess, host: Host): Promise<Facts> {
  if (reading.kind === 'ignore') return { permission: 'none', causeTaken: false };
  const session = sessionIdOf(reading);
  const causeTaken = await host.causeTaken(session, reading, access);
  if (reading.kind === 'pull-request') return { permission: 'none', causeTaken };
  const answer = await access.permissionOf(access.repo, reading.actor.login, host.signal);
  return { permission: answer.kind === 'known' ? answer.permission : answer.kind, causeTaken };
}

interface Carrying {
  readonly access: RepositoryAccess;
  readonly config: Config;
  readonly problem: Problem | undefined;
  readonly surface: Surface;
  readonly host: Host;
}

async function carryOut(intake: Intake, carrying: Carrying): Promise<Handled> {
  const { access, config, problem, surface, host } = carrying;
  switch (intake.kind) {
    case 'ignore':
      return { status: 'ignored', why: intake.why };
    case 'refuse':
      await surface.refused(intake);
      return { status: 'refused', why: intake.why };
    case 'reply':
      await surface.replied(intake);
      return { status: 'replied' };
    case 'turn': {
      const session = sessionIdOf(intake.reading);
      const outcome = await host.runJob({
        turn: intake,
        session,
        access,
        config,
        surface,
        signal: host.signal,
        problem,
      });
      return { status: outcome.status, outcome };
    }
  }
}
