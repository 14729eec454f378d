import type { HumanRequest, Inbox } from '../../../store/records.ts';
import { findUntold } from '../answer/look-at-request.ts';
import type { Looking } from '../answer/look-at-request.ts';
import { isOver } from '../is-over.ts';
import type { PeopleParts } from '../people-parts.ts';
import { wakeDelivery } from '../wake/wake-delivery.ts';

export interface SweepParts extends Pick<PeopleParts, 'requests' | 'live' | 'now' | 'log'> {
  readonly inbox: Pick<Inbox, 'put'>;
  /** Where a request's comment is, under the settings that hold there. */
  placeOf(request: HumanRequest): Promise<Pick<Looking, 'place' | 'rules'>>;
}

/**
 * The one sweep of all that waits (A4, A5): what a reaction or the time has decided is put into the inbox, to be settled
 * and gone on with by whoever works that session. Returns how many. A turn that waits in this process looks for itself.
 */
export async function sweepRequests(parts: SweepParts, signal: AbortSignal): Promise<number> {
  let woken = 0;
  for (const request of await parts.requests.open()) {
    signal.throwIfAborted();
    if (parts.live.of(request.session)) continue;
    woken += (await isDue(request, parts, signal)) && (await wake(request, parts)) ? 1 : 0;
  }
  return woken;
}

async function isDue(request: HumanRequest, parts: SweepParts, signal: AbortSignal): Promise<boolean> {
  const at = parts.now().getTime();
  if (isOver(request, at)) return true;
  try {
    const found = await findUntold(request, { ...(await parts.placeOf(request)), at, signal });
    return found !== undefined;
  } catch (error) {
    signal.throwIfAborted();
    parts.log(`reactions to ${request.id} could not be read`, error);
    return false;
  }
}

async function wake(request: HumanRequest, { inbox, now }: SweepParts): Promise<boolean> {
  return inbox.put(wakeDelivery(request, now().getTime()));
}
