import { readFile } from 'node:fs/promises';
import { Context } from '../harness/kernel/context.ts';
import { SessionStore } from '../harness/session/session-store.ts';
import { SessionId } from '../harness/session/types.ts';
import type { SessionEvent, SessionHeader } from '../harness/session/types.ts';
import { DshError } from '../errors.ts';
import { readLog } from '../store/jsonl/read-log.ts';
import { withSessionQuery } from './sessions/open-session-query.ts';

export interface ReplayLog {
  readonly meta: SessionHeader;
  readonly events: readonly SessionEvent[];
  /** The last bytes make no event: whoever wrote the file was stopped within one. */
  readonly isTorn: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/**
 * A log by its session id, or from a file: a stored one, or what `dsh sessions export` printed. It is checked as the
 * log of a session that goes on would be. Throws `USAGE` if there is no such log, and a coded error that says what is
 * damaged.
 */
export async function readReplayLog(target: string, variables: Variables): Promise<ReplayLog> {
  const log = (await readFromFile(target)) ?? (await readStored(target, variables));
  if (!log)
    throw new DshError(
      `There is no session and no file ${target}.`,
      'USAGE',
      'Write `dsh sessions list` to see which sessions there are.',
    );
  const { id, version: _version, ...meta } = log.meta;
  new SessionStore(new Context()).prepare(id, { seed: log.events, meta });
  return log;
}

async function readFromFile(path: string): Promise<ReplayLog | undefined> {
  const bytes = await readIfThere(path);
  if (!bytes) return undefined;
  const { meta, events, tornMarker } = readLog(bytes, bytes.subarray(0, 4).equals(ZSTD_MAGIC) ? 'zstd' : 'none');
  return { meta, events, isTorn: tornMarker !== undefined };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) return undefined;
    const hint = 'Name a session, or the file of a log that this user may read.';
    throw new DshError(`${path} cannot be read (${code}).`, 'USAGE', hint, { cause: error });
  }
}

function readStored(id: string, variables: Variables): Promise<ReplayLog | undefined> {
  return withSessionQuery(variables, async ({ sessions }) => {
    if (!(await sessions.has(SessionId(id)))) return undefined;
    return { ...(await sessions.inspect(SessionId(id))), isTorn: false };
  });
}
