import type { Hello } from './agent-client.ts';
import { PROTOCOL } from './agent/protocol.ts';
import type { ContainerSettings } from './sandbox-options.ts';

interface Asked {
  mode: ContainerSettings['mode'];
  runtime?: ContainerSettings['runtime'];
  uid: number;
  /** Whether it was given the socket of a network proxy. */
  egress: boolean;
  /** First names in the host's work tree, sorted; nothing where others may be changing it. */
  entries?: string[];
}

const SECCOMP_FILTER = 2;
/** CHOWN, DAC_OVERRIDE, FOWNER, SETGID and SETUID, by the kernel's numbers. */
const FULL_ACCESS_MASK = 0b1100_1011n;

/** In what the container is not what was asked for; empty when it is. An engine must not quietly give less. */
export function weakerThanAsked(hello: Hello, asked: Asked): string[] {
  const hasFullAccess = asked.mode === 'danger-full-access';
  const isKernelShared = asked.runtime === undefined || asked.runtime === 'runc';
  const faults: [boolean, string][] = [
    [hello.protocol !== PROTOCOL, `its agent speaks protocol ${hello.protocol}`],
    [hello.missing.length > 0, `its image has no ${hello.missing.join(', no ')}`],
    [hello.uid !== asked.uid, `it runs as user ${hello.uid} and not ${asked.uid}`],
    [
      !hasAtMost(hello.capabilities, hasFullAccess ? FULL_ACCESS_MASK : 0n),
      `it has capabilities (${hello.capabilities})`,
    ],
    [!hello.noNewPrivileges, 'its processes may gain privileges'],
    [isKernelShared && hello.seccomp !== SECCOMP_FILTER, 'its system calls are not filtered'],
    [!hello.rootReadOnly && !hasFullAccess, 'its root file system can be written'],
    [hello.workspaceReadOnly !== (asked.mode === 'read-only'), 'its work tree is mounted in another mode'],
    [hello.interfaces.length > 0, `it has a network (${hello.interfaces.join(', ')})`],
    [!hello.egress && asked.egress, 'its runtime does not pass the socket of the network proxy'],
    [hello.egress && !asked.egress, 'it has a way to the network'],
    [
      asked.entries !== undefined && !isSameTree(hello.entries, asked.entries),
      'it does not see the work tree of this machine',
    ],
  ];
  return faults.flatMap(([isFault, text]) => (isFault ? [text] : []));
}

function hasAtMost(capabilities: string, mask: bigint): boolean {
  return /^[0-9a-f]+$/.test(capabilities) && (BigInt(`0x${capabilities}`) & ~mask) === 0n;
}

/** The mounted git directory may show where the host's tree has none. */
function isSameTree(seen: string[], expected: string[]): boolean {
  const names = (list: string[]) => list.filter((name) => name !== '.git').join('\0');
  return names(seen) === names(expected);
}
