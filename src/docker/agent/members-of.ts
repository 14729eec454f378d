import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessFacts {
  pid: number;
  parent: number;
  group: number;
  session: number;
}

/**
 * The living processes of a call: its group and session, their descendants, and whoever carries its mark in the
 * environment. A zombie counts as gone.
 */
export function membersOf({ group, mark }: { group: number; mark: string }): ProcessFacts[] {
  const living = readdirSync('/proc').filter(isNumber).map(Number).flatMap(factsOf);
  const members = new Set<number>();
  for (const facts of living) {
    if (facts.group === group || facts.session === group || hasMark(facts.pid, mark)) members.add(facts.pid);
  }
  addDescendants(members, living);
  return living.filter(({ pid }) => members.has(pid));
}

function addDescendants(members: Set<number>, living: ProcessFacts[]): void {
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const { pid, parent } of living) if (members.has(parent)) members.add(pid);
  }
}

function factsOf(pid: number): ProcessFacts[] {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return [];
  return [{ pid, parent: Number(parent), group: Number(group), session: Number(session) }];
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
