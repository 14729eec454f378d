import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

export type WorkerState = 'alive' | 'dead' | 'unknown';

/**
 * Names this life of this process, for labels and folder names: the running kernel, its process namespace, the pid and
 * when it began. Another process, on this machine or another one, never has the same.
 */
export function workerBoot(): string {
  const place = placeOfThisProcess();
  const start = statOf(process.pid)?.start ?? Date.now().toString(36);
  return place === undefined ? `elsewhere-${process.pid}-${start}` : `${place}-${process.pid}-${start}`;
}

/**
 * Whether the worker of that name lives. `unknown` where that cannot be proven from here: another machine, another
 * process namespace, a name of another form.
 */
export function workerState(boot: string): WorkerState {
  const [, place, pid, start] = /^([0-9a-f]{12}-\d+)-(\d+)-(\d+)$/.exec(boot) ?? [];
  if (place === undefined || place !== placeOfThisProcess()) return 'unknown';
  if (!hasProcess(Number(pid))) return 'dead';
  const stat = statOf(Number(pid));
  if (!stat) return 'unknown';
  return stat.start === start && !stat.hasEnded ? 'alive' : 'dead';
}

/** Where a pid means what it means here. Undefined where the system does not tell. */
function placeOfThisProcess(): string | undefined {
  const kernel = runningKernel();
  try {
    return kernel && `${kernel}-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0]}`;
  } catch {
    return undefined;
  }
}

/** 12 hexadecimal digits for this run of this machine's kernel. Undefined where the system does not tell. */
export function runningKernel(): string | undefined {
  try {
    const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return createHash('sha256').update(id).digest('hex').slice(0, 12);
  } catch {
    return undefined;
  }
}

/** One that belongs to somebody else counts. */
function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** State and start time (in clock ticks since the kernel began) stand behind the name, which may hold anything. */
function statOf(pid: number): { start: string; hasEnded: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { start: fields[19]!, hasEnded: ['Z', 'X'].includes(fields[0]!) };
  } catch {
    return undefined;
  }
}
