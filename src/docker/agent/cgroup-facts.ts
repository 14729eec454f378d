import { existsSync, readFileSync } from 'node:fs';

const ROOT = '/sys/fs/cgroup';

/** How many processes the kernel has killed in this container for lack of memory. */
export function oomKills(): number {
  const text = firstOf(`${ROOT}/memory.events`, `${ROOT}/memory/memory.oom_control`);
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Which part of the processes and threads that this container may have there are, 0 to 1; 0 where nobody says. */
export function processPressure(): number {
  const current = Number(firstOf(`${ROOT}/pids.current`, `${ROOT}/pids/pids.current`));
  const max = Number(firstOf(`${ROOT}/pids.max`, `${ROOT}/pids/pids.max`));
  return max > 0 ? current / max : 0;
}

const found = new Map<string, string>();

/** Where the second version of control groups has a file, and where the first has it. Which of them is looked for once. */
function firstOf(second: string, first: string): string {
  const known = found.get(second) ?? (existsSync(second) ? second : first);
  found.set(second, known);
  try {
    return readFileSync(known, 'utf8');
  } catch {
    return '';
  }
}
