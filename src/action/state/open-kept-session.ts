import type { RepositoryAccess } from '../../bot/job/job.ts';
import { issueOf, sessionIdOf } from '../../bot/session/session-id.ts';
import { DshError } from '../../errors.ts';
import type { SessionId } from '../../harness/session/types.ts';
import { statusOf } from '../../github/request-hook.ts';
import type { ReadSubject, SubjectRef } from '../../triggers/reading.ts';
import { ArtifactPlace } from './artifact-place.ts';
import { KeptSession } from './kept-session.ts';
import type { KeptSessionOptions } from './kept-session.ts';
import { RefPlace } from './ref-place.ts';
import { ResultsService } from './results-service.ts';
import { stateName, stateRef } from './state-place.ts';
import type { StatePlace } from './state-place.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface Keeping extends Pick<KeptSessionOptions, 'apiKey' | 'store' | 'isRunAgain' | 'log'> {
  readonly kind: 'artifact' | 'ref';
  readonly variables: Variables;
  readonly access: RepositoryAccess;
}

/** The session that an event is about, with what earlier runs left of it. Throws where nothing can be kept of it. */
export async function openKeptSession(
  reading: ReadSubject,
  { kind, variables, access, ...keeping }: Keeping,
  signal: AbortSignal,
): Promise<KeptSession> {
  const named = namedSession(reading);
  const subject = await firstSubject(named, reading, access, signal);
  const place = kind === 'ref' ? refPlace(subject, access) : artifactPlace(subject, access, variables);
  const kept = new KeptSession({ ...keeping, place, named, number: subject.number, repo: reading.repo });
  await kept.restore(signal);
  return kept;
}

/** A pull request of ours goes on with its issue's session (T9). */
function namedSession(reading: ReadSubject): SessionId {
  const { repo, markedSession } = reading;
  const isOurs = markedSession?.startsWith(`gh-${repo.id}-`) && issueOf(markedSession) !== undefined;
  return isOurs ? markedSession! : sessionIdOf(reading);
}

async function firstSubject(
  named: SessionId,
  { subject }: ReadSubject,
  access: RepositoryAccess,
  signal: AbortSignal,
): Promise<SubjectRef> {
  const number = issueOf(named) ?? subject.number;
  if (number === subject.number) return subject;
  return { number, kind: await kindOf(number, access, signal) };
}

async function kindOf(
  number: number,
  { github, repo }: RepositoryAccess,
  signal: AbortSignal,
): Promise<SubjectRef['kind']> {
  try {
    const { data } = await github.rest.issues.get({ ...repo, issue_number: number, request: { signal } });
    return data.pull_request ? 'pull' : 'issue';
  } catch (error) {
    if (![404, 410].includes(statusOf(error) ?? 0)) throw error;
    return 'issue';
  }
}

function refPlace(subject: SubjectRef, { github, repo }: RepositoryAccess): StatePlace {
  return new RefPlace({ github, repo, ref: stateRef(subject) });
}

function artifactPlace(subject: SubjectRef, { github, repo }: RepositoryAccess, variables: Variables): StatePlace {
  const { ACTIONS_RESULTS_URL: url, ACTIONS_RUNTIME_TOKEN: token, GITHUB_RUN_ID: run } = variables;
  if (!url || !token || !run) throw noService();
  const results = new ResultsService({ url, token });
  return new ArtifactPlace({ github, repo, name: stateName(subject), results, run });
}

/** A runner gives both to JavaScript actions alone; an old GitHub Enterprise Server gives none. */
function noService(): DshError {
  const hint = 'Use the Action as a step of its own (`uses:`), or set `state: ref` or `state: none`.';
  return new DshError('This runner takes no artifacts from this step.', 'STATE_UNAVAILABLE', hint);
}
