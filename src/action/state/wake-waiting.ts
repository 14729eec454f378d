import { jobOf } from '../../bot/people/ask/request-job.ts';
import { withdrawRequests } from '../../bot/people/end/withdraw-requests.ts';
import { isOver } from '../../bot/people/is-over.ts';
import { wakeDelivery } from '../../bot/people/wake/wake-delivery.ts';
import type { Bot } from '../../create-bot.ts';
import { handleEvent } from '../../handle-event.ts';
import type { Handled, Host } from '../../handle-event.ts';
import type { SessionId } from '../../harness/session/types.ts';
import { isAnswer } from '../../intake/answers-on-github.ts';
import type { HumanRequest } from '../../store/records.ts';
import type { ReadSubject } from '../../triggers/reading.ts';
import { wasAnswered } from './was-answered.ts';

export interface Waking {
  readonly bot: Bot;
  readonly host: Host;
  /** The one that the run is about by now. */
  readonly session: () => Promise<SessionId>;
}

/**
 * No webhook tells of a reaction, or of a time that is over: a run of the session looks before it handles its event (A4, A5).
 * Nothing goes on so where a person comes to end it.
 */
export async function wakeBefore(reading: ReadSubject, waking: Waking): Promise<Handled[]> {
  return endsWaiting(reading) ? [] : wake(waking, (request) => !isAnsweredLate(reading, request, waking));
}

/** An answer that was given in time counts, however late its run begins: only then the time is called over. */
export async function wakeAfter(reading: ReadSubject, waking: Waking): Promise<Handled[]> {
  return wake(waking, (request) => isAnsweredLate(reading, request, waking));
}

function endsWaiting(reading: ReadSubject): boolean {
  return reading.kind === 'end' || (reading.kind === 'command' && ['stop', 'forget'].includes(reading.command.name));
}

function isAnsweredLate(reading: ReadSubject, request: HumanRequest, { bot }: Waking): boolean {
  const mayAnswer = reading.kind === 'boxes' || isAnswer(reading);
  return mayAnswer && isOver(request, bot.services.now().getTime());
}

async function wake(waking: Waking, isMeant: (request: HumanRequest) => boolean): Promise<Handled[]> {
  const { bot, host, session } = waking;
  const handled: Handled[] = [];
  const waiting = await bot.records.requests.openOf(await session());
  for (const request of waiting.filter(isMeant)) {
    const at = bot.services.now().getTime();
    if (isOver(request, at) && (await isDropped(request, waking))) continue;
    const { id: delivery, name, payload } = wakeDelivery(request, at);
    handled.push(...(await handleEvent({ name, delivery, payload }, host)));
  }
  return handled.filter(({ status }) => status !== 'ignored');
}

/** What people answered is not called unanswered, and its turn does not go on a second time because of that. */
async function isDropped(request: HumanRequest, { bot, host }: Waking): Promise<boolean> {
  const { repo } = jobOf(request).turn.reading;
  const access = await host.openRepository({ repo, installationId: undefined });
  if (!(await wasAnswered(request, access, host.signal))) return false;
  const { records, live, now, redact, log } = bot.services;
  await withdrawRequests([request], 'lost', undefined, { requests: records.requests, live, now, redact, log });
  log(`${request.id} was answered in a run that could not keep what it did; \`/dsh retry\` goes on from before`);
  return true;
}
