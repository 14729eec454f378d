import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { MAX_CONFINEMENT_ENTRIES, WORKSPACE } from './protocol.ts';
import type { Confinement } from './protocol.ts';

/** Reads from the kernel what this container really is. */
export function observeConfinement(): Omit<Confinement, 'egress'> {
  const status = readFileSync('/proc/self/status', 'utf8');
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  return {
    uid: process.getuid!(),
    capabilities: field(status, 'CapEff') ?? 'unknown',
    noNewPrivileges: field(status, 'NoNewPrivs') === '1',
    seccomp: Number(field(status, 'Seccomp') ?? 0),
    rootReadOnly: isReadOnly(mounts, '/'),
    workspaceReadOnly: isReadOnly(mounts, WORKSPACE),
    interfaces: Object.keys(networkInterfaces()).filter((name) => name !== 'lo'),
    missing: ['bash', 'mkfifo'].filter((program) => !isOnPath(program)),
    entries: workspaceEntries(),
  };
}

/** None where this user may not look: then it is not the tree that the host sees. */
function workspaceEntries(): string[] {
  try {
    return readdirSync(WORKSPACE).sort().slice(0, MAX_CONFINEMENT_ENTRIES);
  } catch {
    return [];
  }
}

function field(status: string, name: string): string | undefined {
  return new RegExp(`^${name}:\\s*(\\S+)$`, 'm').exec(status)?.[1];
}

function isReadOnly(mounts: string[][], path: string): boolean {
  const options = mounts.findLast(([, target]) => target === path)?.[3] ?? '';
  return options.split(',').includes('ro');
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(`${folder}/${program}`));
}
