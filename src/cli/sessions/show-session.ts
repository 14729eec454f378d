import { renderTranscript } from '../../store/render-transcript.ts';
import { EXIT } from '../exit-code.ts';
import { minuteOf } from './list-sessions.ts';
import type { SessionOutput } from './list-sessions.ts';
import { knownSession, withSessionQuery } from './open-session-query.ts';
import type { Variables } from './open-session-query.ts';
import { readTranscript } from './read-transcript.ts';
import { summarizeSession } from './session-summary.ts';
import { table } from './table.ts';

/** What was asked, said and run; with `events`, where each event of the log stands instead. */
export async function showSession(
  id: string,
  { events: asEvents }: { readonly events: boolean },
  variables: Variables,
  output: SessionOutput,
): Promise<number> {
  return withSessionQuery(variables, async (stored) => {
    const known = await knownSession(id, stored);
    const { meta, events, options } = await readTranscript(known, stored, variables);
    if (asEvents) {
      const records = await stored.query.listEvents(known);
      const rows = records.map(({ seq, type, surface, time }) => [
        String(seq),
        new Date(time).toISOString(),
        surface,
        type,
      ]);
      for (const line of table(['SEQ', 'TIME', 'SURFACE', 'TYPE'], rows)) output.say(line);
    } else {
      const { title, status, tokens, lastEventAt } = summarizeSession({ meta, events });
      output.say(`# ${options.redact(title ?? id)}`);
      output.say(`${id} · ${status} · ${tokens.toLocaleString('en-US')} tokens · ${minuteOf(lastEventAt)}\n`);
      output.say(renderTranscript(events, options));
    }
    output.result({ meta, events });
    return EXIT.done;
  });
}
