import type { HookContext } from '../../harness/agent/types.ts';
import type { SessionId } from '../../harness/session/types.ts';
import type { Config } from '../../config/config.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import { restoreChanges } from '../../github/tree/restore-changes.ts';
import { restoreSnapshot, snapshotOf } from '../../github/tree/snapshot.ts';
import { stageChanges } from '../../github/tree/stage-changes.ts';
import { readTreeChanges } from '../../github/tree/tree-changes.ts';
import { unifiedDiff } from '../../github/tree/unified-diff.ts';
import type { Redactor } from '../../publish/redact.ts';
import type { Turn } from '../../publish/progress/surface.ts';
import type { Records, Snapshots } from '../../store/records.ts';
import type { JobOutcome, JobRequest } from '../job/job.ts';
import type { Job } from '../job/job-kind.ts';
import { problemOf } from '../telling/problem.ts';
import { hostContext } from '../context/request-prompt.ts';

/** What became of the changes of a turn that published nothing. */
export type KeptWork =
  | { readonly kind: 'snapshot'; readonly digest: string; readonly base: string; readonly bytes: number }
  /** Nothing is kept between runs, so the changes are given to be taken. */
  | { readonly kind: 'patch'; readonly diff: string }
  | { readonly kind: 'lost'; readonly why: string };

/** What {@link takeUpWork} and {@link withKeptWork} need of the composition root. */
export interface KeepingParts {
  readonly records: Pick<Records, 'snapshots'>;
  readonly redactor: Redactor;
  readonly forgetful?: boolean | undefined;
}

/** Of a job that changes code: what an earlier turn left is put on its tree, or dropped where a fix begins anew (C7). */
export async function takeUpWork(
  { turn, session, config, signal }: JobRequest,
  { records: { snapshots } }: KeepingParts,
  job: Job,
  checkout: Checkout,
): Promise<HookContext[]> {
  if (job.mode === 'read-only') return [];
  if (continuesWork(turn)) return await restoreWork({ session, checkout, config, snapshots, signal });
  await snapshots.drop(session);
  return [];
}

/** Reading the tree may not hold up an interrupted job for long. */
const KEEP_MS = { ended: 60_000, interrupted: 4_000 };

/** Adds to what a job came to what became of its changes: kept where it did not publish, no longer kept where it did (U8). */
export async function withKeptWork(
  outcome: JobOutcome,
  { request, parts, job, checkout }: { request: JobRequest; parts: KeepingParts; job: Job; checkout: Checkout },
): Promise<JobOutcome> {
  const { session, config } = request;
  const { records, forgetful } = parts;
  // A parked turn keeps its own, and goes on with it.
  if (job.mode === 'read-only' || outcome.status === 'parked') return outcome;
  if (outcome.status === 'completed' || outcome.produced.kind !== 'nothing') {
    await records.snapshots.drop(session);
    return outcome;
  }
  const signal = AbortSignal.timeout(request.signal.aborted ? KEEP_MS.interrupted : KEEP_MS.ended);
  // Nobody can say `/dsh retry` where there is no GitHub.
  const snapshots = forgetful || request.local ? undefined : records.snapshots;
  const kept = await keepWork({ session, checkout, config, snapshots, signal });
  return { ...outcome, kept: parts.redactor.redactAll(kept) };
}

export interface Keeping {
  readonly session: SessionId;
  readonly checkout: Checkout;
  readonly config: Pick<Config, 'park'>;
  /** Absent where nothing is kept between runs. */
  readonly snapshots: Snapshots | undefined;
  readonly signal: AbortSignal;
}

/** Keeps the changes of a turn that did not publish. Undefined where there are none. */
export async function keepWork({
  session,
  checkout,
  config,
  snapshots,
  signal,
}: Keeping): Promise<KeptWork | undefined> {
  try {
    const { changes } = await readTreeChanges(checkout, signal);
    if (changes.length === 0) return undefined;
    if (!snapshots) {
      const staged = await stageChanges(checkout, changes, signal);
      return { kind: 'patch', diff: await unifiedDiff(checkout.gitDir, staged, signal) };
    }
    const snapshot = await snapshotOf({ base: checkout.headSha, changes }, config.park.maxSnapshotBytes);
    if (!snapshot) return undefined;
    await snapshots.put(session, snapshot);
    return { kind: 'snapshot', digest: snapshot.digest, base: snapshot.base, bytes: snapshot.bytes.byteLength };
  } catch (error) {
    return { kind: 'lost', why: problemOf(error).message };
  }
}

/**
 * Puts what an earlier turn left unpublished on top of a fresh tree and says so to the model (C7). Where it does not merge
 * with a head that moved on, the conflicts are laid out in the tree, as git marks them.
 */
export async function restoreWork({ session, checkout, snapshots, signal }: Keeping): Promise<HookContext[]> {
  const snapshot = await snapshots?.latest(session);
  if (!snapshot) return [];
  try {
    const result = await restoreSnapshot(checkout, snapshot, signal);
    if (result.kind === 'restored') return [hostContext(RESTORED)];
    await restoreChanges(checkout, result.changes, signal);
    return [hostContext(`${RESTORED} ${conflictText(result.paths)}`)];
  } catch (error) {
    signal.throwIfAborted();
    return [hostContext(`The changes of the last turn could not be put back: ${problemOf(error).message}`)];
  }
}

const RESTORED = 'The work tree holds the uncommitted changes that the last turn of this session left.';

const SHOWN_PATHS = 20;

/** Pure. */
export function conflictText(paths: readonly string[]): string {
  const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : '';
  const shown = paths.slice(0, SHOWN_PATHS).join(', ');
  return `The branch moved on meanwhile, and these files do not merge: ${shown}${more}. Where both changed the same lines, conflict markers stand in them: resolve each, so that both intents hold.`;
}

/** Whether a turn goes on with what an earlier one left; a fresh fix begins anew (C7). Pure. */
export function continuesWork({ reading }: Turn): boolean {
  return reading.kind === 'command' && reading.command.name !== 'fix';
}
