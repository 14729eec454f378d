import type { Session } from '../../harness/session/session.ts';

/** What a call may do to files. Network, processes and credentials are outside this vocabulary. */
export type SandboxMode = 'read-only' | 'workspace-write' | 'danger-full-access';
export type ConfinedSandboxMode = Exclude<SandboxMode, 'danger-full-access'>;
/** `partial` means that some promised file effect is not governed; callers that need the absolute promise must look. */
export type SandboxEnforcement = 'full' | 'partial';
/** What a call may reach: the bound is the operator's, a wider value for one call needs approval. */
export type SandboxNetwork = 'none' | 'allow-list' | 'full';

/** Narrowest first. */
export const SANDBOX_MODES: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access'];
/** Narrowest first. */
export const SANDBOX_NETWORKS: readonly SandboxNetwork[] = ['none', 'allow-list', 'full'];

/** Decided once per tool call and passed down. `workspaceRoot` is absolute; `network` is present only when one call departs from its session's. */
export interface SandboxExecutionPolicy {
  mode: SandboxMode;
  workspaceRoot: string;
  network?: SandboxNetwork;
}
/** What a confining provider receives. */
export interface SandboxPolicy extends SandboxExecutionPolicy {
  mode: ConfinedSandboxMode;
}
/** `mode` and `network` are overrides that a person has approved for this one call. */
export interface SandboxPolicyRequest {
  session?: Session;
  mode?: SandboxMode;
  network?: SandboxNetwork;
}

export function isSandboxMode(value: unknown): value is SandboxMode {
  return SANDBOX_MODES.some((mode) => mode === value);
}
