import { join } from 'node:path';
import { readEnv } from '../config/env.ts';
import { DshError } from '../errors.ts';
import { SessionId } from '../harness/session/types.ts';
import { openJsonlSessions } from '../store/jsonl/jsonl-persistence.ts';
import { renderTranscript } from '../store/render-transcript.ts';
import { SESSION_LOGS } from '../create-bot.ts';
import { EXIT } from './exit-code.ts';

interface Output {
  say(line: string): void;
  result(value: unknown): void;
}
type Variables = Readonly<Record<string, string | undefined>>;

export async function listSessions(variables: Variables, output: Output): Promise<number> {
  const headers = await open(variables).list();
  headers.sort((a, b) => b.createdAt - a.createdAt);
  for (const { id, createdAt } of headers) output.say(`${id}  ${new Date(createdAt).toISOString()}`);
  if (headers.length === 0) output.say('No sessions are stored here.');
  output.result(headers);
  return EXIT.done;
}

export async function showSession(id: string, variables: Variables, output: Output): Promise<number> {
  const { meta, events } = await read(id, variables);
  output.say(renderTranscript(events));
  output.result({ meta, events });
  return EXIT.done;
}

/** One JSON document a line: the header, then every event, as they are stored. */
export async function exportSession(id: string, variables: Variables, output: Output): Promise<number> {
  const { meta, events } = await read(id, variables);
  for (const line of [{ type: 'session', ...meta }, ...events]) output.say(JSON.stringify(line));
  return EXIT.done;
}

async function read(id: string, variables: Variables) {
  const sessions = open(variables);
  const known = (await sessions.list()).some((header) => header.id === id);
  if (!known) throw new DshError(`There is no session ${id}.`, 'USAGE', 'Write `dsh sessions list` to see which there are.');
  return sessions.inspect(SessionId(id));
}

function open(variables: Variables) {
  return openJsonlSessions({ root: join(readEnv(variables).dataDir, SESSION_LOGS) });
}
