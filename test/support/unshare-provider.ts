import { tmpdir } from 'node:os';
import { SandboxProvider } from '../../src/seams/sandbox/provider.ts';
import type { ConfinedArgv } from '../../src/seams/sandbox/provider.ts';
import { SandboxUnavailableError } from '../../src/seams/sandbox/sandbox-unavailable-error.ts';
import type { SandboxPolicy } from '../../src/seams/sandbox/types.ts';

/** Binds what may be written over itself, makes all else read-only, then gives up the rights that could undo it. */
const RUN = `set -e
while [ "$1" != -- ]; do mount --bind "$1" "$1"; shift; done
shift
mount -o remount,bind,ro /
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"`;

/** A provider as an outsider would write one: namespaces of the kernel, for a root user on Linux. */
export class UnshareProvider extends SandboxProvider {
  confine(argv: readonly string[], { mode, workspaceRoot }: SandboxPolicy): ConfinedArgv {
    if (process.getuid?.() !== 0) throw new SandboxUnavailableError(mode, 'only root may make namespaces here');
    const writable = mode === 'workspace-write' ? [workspaceRoot, tmpdir()] : [];
    const namespaces = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc'];
    return {
      argv: ['unshare', ...namespaces, 'bash', '-c', RUN, 'confine', ...writable, '--', ...argv],
      enforcement: 'full',
      denialSignatures: ['read-only file system'],
      runnerFailureSignatures: ['unshare: ', 'mount: ', 'setpriv: '],
    };
  }
}
