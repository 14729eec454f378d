import { tmpdir } from 'node:os';
import { canonicalPath } from './canonical-path.ts';
import type { SandboxExecutionPolicy } from './types.ts';

/** Below which directories of this host a confined call may write. Full access is not a list of roots: it gives `/`. */
export function writableRoots(policy: SandboxExecutionPolicy): string[] {
  switch (policy.mode) {
    case 'read-only':
      return [];
    case 'workspace-write':
      return [...new Set([policy.workspaceRoot, '/tmp', tmpdir()].map(canonicalPath))];
    case 'danger-full-access':
      return ['/'];
  }
}
