import { once } from 'node:events';
import { readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { EGRESS_SOCKET } from '../agent/protocol.ts';
import { egressPrefix } from '../egress/open-egress.ts';

/** Between the making of a folder and that of its socket, at most. */
const OPENING_MS = 60_000;
/** No proxy lives so long: its containers end before. */
const OLD_MS = 24 * 3_600_000;

/** Removes folders of network proxies that nobody answers in. Answers how many. */
export async function sweepSockets(socketFolder: string, now: Date): Promise<number> {
  const names = (await readdir(socketFolder).catch(() => [])).filter((name) => name.startsWith('e'));
  const left = await Promise.all(names.map((name) => isLeftOver(join(socketFolder, name), name, now)));
  const paths = names.filter((_, index) => left[index]).map((name) => join(socketFolder, name));
  for (const path of paths) await rm(path, { recursive: true, force: true });
  return paths.length;
}

/** Of a socket that another machine has made in a shared folder, only its age tells. */
async function isLeftOver(folder: string, name: string, now: Date): Promise<boolean> {
  const stats = await stat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) return false;
  const ageMs = now.getTime() - stats.mtimeMs;
  if (!name.startsWith(egressPrefix())) return ageMs > OLD_MS;
  return ageMs > OPENING_MS && !(await isAnswered(join(folder, EGRESS_SOCKET)));
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (cause) {
    return !['ECONNREFUSED', 'ENOENT'].includes((cause as NodeJS.ErrnoException).code ?? '');
  } finally {
    socket.destroy();
  }
}
