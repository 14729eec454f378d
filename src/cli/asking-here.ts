import type { HostAsking } from '../bot/job/job.ts';
import { processTerminal } from './process-terminal.ts';

/** Somebody at this terminal is asked here; without a terminal the session is parked at once, to be resumed. */
export function askingHere(isJson: boolean): HostAsking {
  const terminal = processTerminal(isJson);
  return terminal ? { terminal } : { parkAfterMs: 0 };
}
