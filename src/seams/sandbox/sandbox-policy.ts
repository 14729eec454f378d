import { isAbsolute, normalize } from 'node:path';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { canonicalPath } from './canonical-path.ts';
import { assertSandboxMode, effectiveSandboxMode } from './sandbox-mode.ts';
import type { SandboxExecutionPolicy, SandboxMode, SandboxPolicyRequest } from './types.ts';

declare module '../../harness/kernel/context.ts' {
  interface Context {
    sandboxPolicy: SandboxPolicyService;
  }
}

/**
 * `workspaceRoot` is used for sessions without a cwd. `canonicalize` runs in the file system the path belongs to:
 * for a container its own, where the host's links mean nothing.
 */
export interface SandboxPolicyConfig {
  mode?: SandboxMode;
  workspaceRoot?: string;
  canonicalize?: (path: string) => string;
}

/** The one place where mode and root of a call are decided. Executors and providers never look at sessions. */
export class SandboxPolicyService {
  readonly defaultMode: SandboxMode;
  readonly workspaceRoot: string;
  readonly #canonicalize: (path: string) => string;

  constructor(config: SandboxPolicyConfig = {}) {
    this.defaultMode = assertSandboxMode(config.mode ?? 'read-only');
    this.#canonicalize = config.canonicalize ?? canonicalPath;
    this.workspaceRoot = this.#root(config.workspaceRoot ?? process.cwd());
  }

  /** Approved mode, else the session's last one, else the default; the root is the session's own cwd. */
  resolve(request: SandboxPolicyRequest = {}): SandboxExecutionPolicy {
    const { session, mode, network } = request;
    const cwd = session?.header.cwd;
    return {
      mode: mode ?? (session && effectiveSandboxMode(session.events)) ?? this.defaultMode,
      workspaceRoot: cwd === undefined ? this.workspaceRoot : this.#root(cwd),
      ...(network !== undefined && { network }),
    };
  }

  #root(path: string): string {
    if (isAbsolute(path)) return normalize(this.#canonicalize(path));
    throw new HarnessError(`The workspace root must be an absolute path, not "${path}"`, 'SANDBOX_ROOT_INVALID');
  }
}

export const sandboxPolicyPlugin: Plugin<SandboxPolicyConfig | undefined> = {
  name: 'sandbox-policy',
  apply(ctx: Context, config) {
    ctx.provide('sandboxPolicy', new SandboxPolicyService(config));
  },
};
