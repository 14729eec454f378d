import { setTimeout as sleep } from 'node:timers/promises';
import { livingProcesses } from './members-of.ts';

const POLL_MS = 50;

/** TERM to all that runs beside the agent. Returns when it has ended, at the latest after `graceMs`. */
export async function endEverything(graceMs: number): Promise<void> {
  const deadline = Date.now() + graceMs;
  signalAll('SIGTERM');
  while (hasOthers() && Date.now() < deadline) await sleep(POLL_MS);
}

function hasOthers(): boolean {
  return livingProcesses().some(({ pid }) => pid !== 1 && pid !== process.pid);
}

/** The kernel leaves the sender and init out. */
function signalAll(signal: NodeJS.Signals): void {
  try {
    process.kill(-1, signal);
  } catch {
    return; // nobody is there
  }
}
