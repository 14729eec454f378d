import {
  concludeCheck,
  findOpenCheck,
  hasEndedCheck,
  isBegunElsewhere,
  isConcluded,
  openCheck,
} from '../../github/checks.ts';
import type { GitHub } from '../../github/client.ts';
import type { RepoRef } from '../../github/repository.ts';
import type { Ending } from '../progress/progress.ts';
import { CHECK_NAME, planNeutralCheck } from './plan-check.ts';
import type { Progress } from '../progress/surface.ts';
import { takenElsewhere } from '../progress/taken-elsewhere.ts';

/** By which a check run is found again. */
export function checkIdOf(session: string, cause: string): string {
  return `${session} ${cause}`;
}

export interface CheckPlace {
  readonly github: GitHub;
  readonly repo: RepoRef;
  readonly headSha: string;
  readonly ownLogin: string;
}

/**
 * The check run of an automatic review as its progress (R9): open from the start, ended by the review itself, or here as
 * `neutral` where none could be made. Undefined where the token may not write checks.
 */
export async function openCheckProgress(
  { github, repo, headSha, ownLogin }: CheckPlace,
  job: { readonly session: string; readonly cause: string },
): Promise<Progress | undefined> {
  const identity = { name: CHECK_NAME, headSha, externalId: checkIdOf(job.session, job.cause), ownLogin };
  const check = await openCheck(github, repo, identity);
  if (!check) return undefined;
  const others = { id: check.id, idEnding: ` ${job.cause}`, fruitless: FRUITLESS };
  if (await isBegunElsewhere(github, repo, identity, others)) {
    await concludeCheck(github, repo, check, planNeutralCheck(BY_ANOTHER, [ELSEWHERE]));
    throw takenElsewhere(job.cause);
  }
  return {
    changed: () => {},
    leave: () => {},
    end: async (ending) => {
      if (await isConcluded(github, repo, check)) return;
      await concludeCheck(github, repo, check, planNeutralCheck(TITLES[ending.state], ending.parts));
    },
  };
}

const BY_ANOTHER = 'Reviewed by another bot';
const ELSEWHERE = { kind: 'markdown', text: 'Another bot began a review of this head first.' } as const;

const TITLES: Readonly<Record<Ending['state'], string>> = {
  done: 'This head was not reviewed',
  waiting: 'The review waits',
  failed: 'The review could not be made',
  stopped: 'The review was stopped',
};

/** A head that we pushed ourselves has its check at once: nobody waits for a review of our own change (R9). */
export async function tellOwnHead(place: CheckPlace, signal?: AbortSignal): Promise<void> {
  const text = 'dsh does not review by itself what it pushed. `/dsh review` asks for it.';
  await tellUnreviewed(place, { id: 'own', title: 'Pushed by dsh', text }, signal);
}

/** Ends the check of a head for which no review is made, so that a branch rule that asks for it is met (R9). */
export async function tellUnreviewed(
  { github, repo, headSha, ownLogin }: CheckPlace,
  { id, title, text }: { readonly id: string; readonly title: string; readonly text: string },
  signal?: AbortSignal,
): Promise<void> {
  const identity = { name: CHECK_NAME, headSha, externalId: id, ownLogin };
  // Told by a process that was lost right after it.
  if (await hasEndedCheck(github, repo, identity, signal).catch(() => false)) return;
  const check = await openCheck(github, repo, identity, signal);
  if (check) await concludeCheck(github, repo, check, planNeutralCheck(title, [{ kind: 'markdown', text }]), signal);
}

/** Ends the check that a review began which was cut off: after it had been posted, or before a newer head came. */
export async function endLeftCheck(
  { github, repo, headSha, ownLogin }: CheckPlace,
  job: { readonly session: string; readonly cause: string; readonly why: 'already-reviewed' | 'superseded' },
  signal?: AbortSignal,
): Promise<void> {
  const identity = { name: CHECK_NAME, headSha, externalId: checkIdOf(job.session, job.cause), ownLogin };
  const left = await findOpenCheck(github, repo, identity, signal);
  if (!left) return;
  const [title, text] = LEFT[job.why];
  await concludeCheck(github, repo, left, planNeutralCheck(title, [{ kind: 'markdown', text }]), signal);
}

const LEFT = {
  'already-reviewed': ['Reviewed', 'The findings are in the review.'],
  superseded: ['Superseded', 'A newer head is reviewed in its place.'],
} as const;

/** Under these nothing was reviewed, whoever began it; a head that was superseded may come back. */
const FRUITLESS = [...Object.values(TITLES), BY_ANOTHER, LEFT.superseded[0]];
