import { FsError } from '../../seams/filesystem/fs-error.ts';
import type { SandboxExecutionPolicy } from '../../seams/sandbox/types.ts';

/** Container paths below which a call may write; the agent looks again when it writes. */
export function writableFolders({ mode, workspaceRoot }: SandboxExecutionPolicy): string[] {
  switch (mode) {
    case 'read-only':
      throw new FsError('nothing may be written in read-only mode', 'FS_SANDBOX_DENIED');
    case 'workspace-write':
      return [workspaceRoot, '/tmp'];
    case 'danger-full-access':
      return ['/'];
  }
}
