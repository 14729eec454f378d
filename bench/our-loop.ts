import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peakMemoryMb } from './peak-memory.ts';
import { openBenchRoom } from './bench-room.ts';

/** Turns of the real thing against the timed model, so many at once: real sandbox, durable log, the bot's own room. */
const [baseUrl = '', concurrent = '1'] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'dsh-bench-'));
try {
  const sessions = Array.from({ length: Number(concurrent) }, (_, index) => `bench-${index + 1}`);
  const rooms = await Promise.all(sessions.map((session) => openBenchRoom(join(folder, session), baseUrl, session)));
  for (const { room } of rooms) room.handle.agent.send([{ type: 'text', text: 'go' }]);
  await Promise.all(rooms.map(({ room }) => room.handle.agent.whenIdle()));
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpuMs: (user + system) / 1_000, rssMb: peakMemoryMb() }));
  for (const { close } of rooms) await close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
