import { setTimeout as sleep } from 'node:timers/promises';
import { membersOf } from './members-of.ts';
import type { CallIdentity } from './members-of.ts';

const POLL_MS = 10;

/**
 * TERM to all processes of a call, KILL to what is left after `graceMs`, again and again until none is left.
 * Answers false when some survive until `limitMs` after that.
 */
export async function killUntilEmpty(target: CallIdentity, graceMs: number, limitMs: number): Promise<boolean> {
  signalAll(target, 'SIGTERM');
  if (await isEmptyWithin(target, graceMs)) return true;

  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline) {
    signalAll(target, 'SIGKILL');
    if (await isEmptyWithin(target, 5 * POLL_MS)) return true;
  }
  return false;
}

async function isEmptyWithin(target: CallIdentity, waitMs: number): Promise<boolean> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    if (membersOf(target).length === 0) return true;
    if (Date.now() >= deadline) return false;
    await sleep(POLL_MS);
  }
}

function signalAll(target: CallIdentity, signal: NodeJS.Signals): void {
  const members = membersOf(target);
  if (members.some(({ group }) => group === target.group)) deliver(-target.group, signal);
  for (const { pid, group } of members) if (group !== target.group) deliver(pid, signal);
}

/** It may have ended in between. */
function deliver(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    return;
  }
}
