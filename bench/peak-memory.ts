import { readFileSync } from 'node:fs';

/** Peak of this process's memory, in MB. Linux counts what the parent had before the start into `maxRSS`; this it does not. */
export function peakMemoryMb(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  if (kilobytes === undefined) throw new Error('/proc/self/status tells no peak');
  return Number(kilobytes) / 1024;
}
