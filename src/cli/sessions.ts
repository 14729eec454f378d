import { DshError } from '../errors.ts';
import type { StoredSession } from '../harness/session/persistence.ts';
import { SessionId } from '../harness/session/types.ts';
import { renderTranscript } from '../store/render-transcript.ts';
import { EXIT } from './exit-code.ts';
import { jsonText } from './json-text.ts';
import { withSessions } from './with-sessions.ts';

interface Output {
  say(line: string): void;
  result(value: unknown): void;
}
type Variables = Readonly<Record<string, string | undefined>>;

export async function listSessions(variables: Variables, output: Output): Promise<number> {
  const headers = await withSessions(variables, (sessions) => sessions.list());
  headers.sort((a, b) => b.createdAt - a.createdAt);
  for (const { id, createdAt } of headers) output.say(`${id}  ${new Date(createdAt).toISOString()}`);
  if (headers.length === 0) output.say('No sessions are stored here.');
  output.result(headers);
  return EXIT.done;
}

export async function showSession(id: string, variables: Variables, output: Output): Promise<number> {
  const { meta, events } = await readSession(id, variables);
  output.say(renderTranscript(events));
  output.result({ meta, events });
  return EXIT.done;
}

/** `jsonl`: one JSON document a line, the header, then every event, as they are stored. `md`: what people read. */
export async function exportSession(
  id: string,
  format: 'jsonl' | 'md',
  variables: Variables,
  output: Output,
): Promise<number> {
  const { meta, events } = await readSession(id, variables);
  if (format === 'md') output.say(renderTranscript(events));
  else for (const line of [{ type: 'session', ...meta }, ...events]) output.say(jsonText(line));
  return EXIT.done;
}

/** Throws `USAGE` if there is no such session. */
function readSession(id: string, variables: Variables): Promise<StoredSession> {
  return withSessions(variables, async (sessions) => {
    if (await sessions.has(SessionId(id))) return sessions.inspect(SessionId(id));
    throw new DshError(`There is no session ${id}.`, 'USAGE', 'Write `dsh sessions list` to see which there are.');
  });
}
