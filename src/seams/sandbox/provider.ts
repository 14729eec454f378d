import type { SandboxEnforcement, SandboxPolicy } from './types.ts';

/** How to start a command so that the operating system confines it, and how to read what went wrong. */
export interface ConfinedArgv {
  /** Spawn this instead of your own. */
  argv: string[];
  enforcement: SandboxEnforcement;
  /** Parts of stderr (case-insensitive) of a blocked file effect. */
  denialSignatures: readonly string[];
  /** Parts of stderr of the runner failing before the command ran. */
  runnerFailureSignatures: readonly string[];
}

/**
 * Confines processes on the same host. Containers and remote executors do not fit here: they replace the bash and
 * filesystem services as a group. `confine` returns a confining argv or throws `SandboxUnavailableError`.
 */
export abstract class SandboxProvider {
  abstract confine(argv: readonly string[], policy: SandboxPolicy): ConfinedArgv;
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    sandbox: SandboxProvider;
  }
}
