import { readdirSync, readFileSync } from 'node:fs';

/** Name of the variable that carries a call's mark. */
export const MARK_NAME = 'DSH_CALL';

/** What the processes of a call are known by. */
export interface CallIdentity {
  group: number;
  mark: string;
  /** Where no other call is at work: from when on, in ticks since boot, a process that carries no mark is taken for its own. */
  straysSince?: number;
}

export interface ProcessFacts {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** Ticks since boot. */
  startedAt: number;
}

/**
 * The living processes of a call: its group and session, their descendants, and whoever carries its mark in the
 * environment; if wished, also who has hidden by emptying it. A zombie counts as gone.
 */
export function membersOf({ group, mark, straysSince = Infinity }: CallIdentity): ProcessFacts[] {
  const living = livingProcesses();
  const members = new Set<number>();
  for (const facts of living) {
    const isKnown = facts.group === group || facts.session === group || hasMark(facts.pid, mark);
    if (isKnown || (facts.startedAt >= straysSince && isStray(facts))) members.add(facts.pid);
  }
  addDescendants(members, living);
  return living.filter(({ pid }) => members.has(pid));
}

/** All of the container; a zombie is none. */
export function livingProcesses(): ProcessFacts[] {
  return readdirSync('/proc').filter(isNumber).map(Number).flatMap(factsOf);
}

/** As in `/proc/<pid>/stat`, counted from the state. */
const STARTED_AT = 19;

/** Neither the agent nor a helper of its own, and of no call that says so. */
function isStray({ pid, parent }: ProcessFacts): boolean {
  if (pid === 1 || pid === process.pid || parent === process.pid) return false;
  return !readOrNothing(`/proc/${pid}/environ`).includes(`${MARK_NAME}=`);
}

function addDescendants(members: Set<number>, living: ProcessFacts[]): void {
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const { pid, parent } of living) if (members.has(parent)) members.add(pid);
  }
}

function factsOf(pid: number): ProcessFacts[] {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (stat === '' || state === 'Z' || state === 'X') return [];
  return [
    {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      startedAt: Number(fields[STARTED_AT]),
    },
  ];
}

function hasMark(pid: number, mark: string): boolean {
  return readOrNothing(`/proc/${pid}/environ`).split('\0').includes(mark);
}

/** Processes end while one looks, and those of other users cannot be read. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}
