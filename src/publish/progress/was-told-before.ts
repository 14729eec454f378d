import type { GitHub } from '../../github/client.ts';
import { findComment } from '../../github/comments.ts';
import type { RepoRef } from '../../github/repository.ts';
import type { ReadSubject } from '../../triggers/reading.ts';
import { commentPlace } from './comment-place.ts';
import { jobMarker } from '../markers.ts';
import { tellsOfDone } from './progress.ts';

interface Teller {
  readonly github: GitHub;
  readonly repo: RepoRef;
  readonly ownLogin: string;
  readonly session: string;
}

/**
 * Whether our comment says that the job of this cause is done (T5): a run that finds no log of an earlier one, as when a
 * workflow is run again, does not do its work twice. What failed or was cut off may be run again.
 */
export async function wasToldBefore(
  reading: ReadSubject,
  { github, repo, ownLogin, session }: Teller,
  signal: AbortSignal,
): Promise<boolean> {
  const marker = jobMarker(session, reading.cause);
  const told = await findComment(github, repo, commentPlace(reading), { marker, ownLogin }, signal);
  return told !== undefined && tellsOfDone(told.body, marker);
}
