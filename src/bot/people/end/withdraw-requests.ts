import type { WithdrawnWhy } from '../../../publish/request/request-texts.ts';
import type { HumanRequest } from '../../../store/records.ts';
import { redrawRequest } from '../ask/draw-request.ts';
import type { CommentPlace, PeopleParts } from '../people-parts.ts';
import { settleRequest } from '../answer/settle-request.ts';

/** Asks these requests of nobody any longer: settled as withdrawn, their comments say so (K4, S3). Returns those it settled. */
export async function withdrawRequests(
  requests: readonly HumanRequest[],
  why: WithdrawnWhy,
  place: CommentPlace | undefined,
  parts: PeopleParts,
): Promise<HumanRequest[]> {
  const withdrawn: HumanRequest[] = [];
  for (const request of requests) {
    const at = parts.now().getTime();
    const answer = { actor: undefined, how: 'withdrawn', value: why, url: undefined, at } as const;
    const settled = await settleRequest(request, 'cancelled', answer, parts);
    if (!settled) continue;
    withdrawn.push(settled);
    if (place) await redrawRequest(settled, place, parts);
  }
  return withdrawn;
}
