import { setTimeout as sleep } from 'node:timers/promises';
import { AgentServer } from './agent-server.ts';
import { endEverything } from './end-everything.ts';
import { relayEgress } from './relay-egress.ts';

/**
 * The sandbox agent: the one process that the host talks to inside a session's container. Runs what it is told and
 * ends with its input. Arguments: how long it may live, in milliseconds.
 */
const lifetimeMs = Number(process.argv[2]);
const GRACE_MS = 10_000;
/** How commands have ended is still to be told. */
const LAST_WORDS_MS = 200;
setTimeout(() => void endAtLimit(), lifetimeMs);

const server = new AgentServer({ egress: await relayEgress() });
process.stdin.on('data', (chunk) => server.receive(chunk));
process.stdin.on('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));

/** What runs is told to end first, and has a moment for it. */
async function endAtLimit(): Promise<void> {
  process.stderr.write(`the wall limit of ${lifetimeMs} ms was reached\n`);
  await endEverything(GRACE_MS);
  await sleep(LAST_WORDS_MS);
  process.exit(0);
}
