import { setTimeout as sleep } from 'node:timers/promises';
import { serveApp } from '../../src/app.ts';
import { readIdentity } from '../../src/cli/identity.ts';
import { readEnv } from '../../src/config/env.ts';
import { createBot } from '../../src/create-bot.ts';
import { FaultPoints } from './fault-points.ts';
import type { Fault } from './fault-points.ts';

/** One `dsh serve` with faults: tells its parent where it listens, and when nothing is left to do. */
const { CHAOS_FAULT, CHAOS_RECORD, CHAOS_LEASE_MS, ...variables } = process.env;
const env = readEnv(variables);
const log = (message: string, error?: unknown) => console.error(message, error ?? '');
const bot = createBot({ env, identity: readIdentity(), log, leaseMs: Number(CHAOS_LEASE_MS) });
const fault = CHAOS_FAULT ? (JSON.parse(CHAOS_FAULT) as Fault) : undefined;
new FaultPoints({ fault, record: CHAOS_RECORD, apiUrl: env.GITHUB_API_URL }).install(bot.records);

const app = await serveApp({
  ...{ env, bot, log, privateKey: env.PRIVATE_KEY!, userAgent: 'dsh-chaos' },
  // Edits by the clock would be points that come and go.
  operator: { progress: { everyMs: 600_000 } },
});
const isDue = () =>
  bot.records.inbox.due().then(
    (due) => due.length > 0,
    () => true,
  );
process.on('message', async (message) => {
  if (message === 'finish') {
    await app.whenIdle();
    while (await isDue()) await sleep(50);
    await app.whenIdle();
    process.send!('finished');
  }
  if (message === 'stop') {
    await app.close();
    await bot.close();
    process.disconnect();
  }
});
process.send!({ url: app.url });
