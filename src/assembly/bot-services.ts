import type { JobParts } from '../bot/job/job-parts.ts';
import type { BotServices } from '../bot/job/services.ts';
import { CommandLimit } from '../bot/limits/command-limit.ts';
import { PeopleService } from '../bot/people/people.ts';
import { compactStoredSession } from '../room/compact-session.ts';
import { atDesk } from '../room/open-desk.ts';
import { pluggedCommands } from '../room/plugged-commands.ts';
import type { Records } from '../store/records.ts';
import { renderTranscript } from '../store/render-transcript.ts';
import type { Foundations } from './foundations.ts';

/** What answers people without the model. */
export function botServices(foundations: Foundations, parts: JobParts): BotServices {
  const { records, models, redactor, live, store, writers, plugins, now, log } = foundations;
  const persistence = store.persistence(writers.epochOf);
  const desk = { log, persistence };
  return {
    ...{ ...servicesOver(records, foundations, parts), sessions: store.sessions, live, now, log },
    redact: (text) => redactor.redact(text),
    limit: new CommandLimit(records, now),
    transcript: renderTranscript,
    modelOf: (config) => {
      const { provider, model } = parts.targetOf(config);
      return `${provider}/${model}`;
    },
    providers: [...models.routes.keys()],
    atDesk: (session, signal, work, language) =>
      writers.hold(session, signal, (held) => atDesk(session, held, { ...desk, language }, work)),
    plugged: pluggedCommands(plugins, desk),
    commandPlugged: (session, line, signal) =>
      writers.hold(session, signal, (held) =>
        atDesk(session, held, { ...desk, plugins }, ({ ctx, agent }) => ctx.commands.execute(agent, line, held)),
      ),
    compact: (request) =>
      writers.hold(request.session, request.signal, (signal) => {
        const target = parts.targetOf(request.config);
        return compactStoredSession({ ...request, signal }, { models, redactor, log, target, persistence });
      }),
    handlers: {},
  };
}

/** Those of them that write beside the logs. */
export function servicesOver(
  records: Records,
  { live, now, log, redactor }: Foundations,
  { logOf }: JobParts,
): Pick<BotServices, 'records' | 'people'> {
  const people = new PeopleService({
    ...{ requests: records.requests, live, now, log, redactor, logOf },
    redact: (text) => redactor.redact(text),
  });
  return { records, people };
}
