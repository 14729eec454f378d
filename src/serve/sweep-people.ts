import { sweepRequests } from '../bot/people/end/sweep-requests.ts';
import { jobOf } from '../bot/people/ask/request-job.ts';
import { mergeConfig } from '../config/merge-config.ts';
import type { Bot } from '../create-bot.ts';
import type { Host } from '../handle-event.ts';

export interface SweepPeopleOptions {
  readonly bot: Pick<Bot, 'records' | 'services'>;
  readonly host: Pick<Host, 'openRepository' | 'operator' | 'inputs'>;
}

/** Looks for reactions to what parked sessions ask, and for what nobody answered in time (A4, A5). */
export async function sweepPeople({ bot, host }: SweepPeopleOptions, signal: AbortSignal): Promise<number> {
  const { records, services } = bot;
  const { live, now, log } = services;
  const { operator, inputs } = host;
  return sweepRequests(
    {
      ...{ requests: records.requests, inbox: records.inbox, live, now, log },
      placeOf: async (request) => {
        const { turn, installationId } = jobOf(request);
        const place = await host.openRepository({ repo: turn.reading.repo, installationId });
        const repository = await place.repositoryConfig(operator).catch(() => ({}));
        return { place, rules: mergeConfig(operator, repository, inputs) };
      },
    },
    signal,
  );
}
