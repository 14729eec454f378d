import { lookAtRequest } from '../bot/people/answer/look-at-request.ts';
import type { PeopleParts } from '../bot/people/people-parts.ts';
import { goOn } from './run-turn.ts';
import type { Carrying } from './carrying.ts';
import type { Handled } from '../handle-event.ts';

/** Looks at a request that time or a reaction has decided, settles it, and goes on with the turn that waits for it (A4, A5). */
export async function wakeSession(id: string, carrying: Omit<Carrying, 'session'>): Promise<Handled> {
  const { access: place, config: rules, signal, host } = carrying;
  const { records, people, live, now, redact, log } = host.services;
  const parts: PeopleParts = { requests: records.requests, live, now, redact, log };
  const stored = await parts.requests.get(id);
  if (!stored || stored.repo !== carrying.repository) return { status: 'ignored', why: 'nothing-to-wake' };
  const at = now().getTime();
  if (stored.state === 'pending') await lookAtRequest(stored, { place, rules, at, signal }, parts);
  const request = (await parts.requests.get(id)) ?? stored;
  const wakes = await people?.wakes(request);
  if (!wakes) return { status: 'ignored', why: 'nothing-to-wake' };
  return goOn(wakes, { ...carrying, session: request.session });
}
