import type { HumanAnswer, HumanRequest, RequestState } from '../../../store/records.ts';
import type { PeopleParts } from '../people-parts.ts';

/** Settles a request once, whoever else tries (A3), and wakes whoever waits for it in this process. */
export async function settleRequest(
  request: HumanRequest,
  state: Exclude<RequestState, 'pending'>,
  answer: HumanAnswer,
  { requests, live }: Pick<PeopleParts, 'requests' | 'live'>,
): Promise<HumanRequest | undefined> {
  if (!(await requests.settle(request.id, state, answer))) return undefined;
  live.of(request.session)?.settled(request.id);
  return { ...request, state, answer };
}
