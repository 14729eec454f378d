import { HarnessError } from '../../harness/llm/errors.ts';
import type { SandboxMode } from './types.ts';

export const SANDBOX_UNAVAILABLE = 'SANDBOX_UNAVAILABLE';

/** The confinement a call needs could not be given, so nothing was run. `detail` says what failed, in one line. */
export class SandboxUnavailableError extends HarnessError {
  constructor(mode: SandboxMode, detail?: string, options?: ErrorOptions) {
    const reason = detail ? `: ${detail}` : '';
    super(`The sandbox for ${mode} mode is not available${reason}. Nothing was run.`, SANDBOX_UNAVAILABLE, options);
    this.name = 'SandboxUnavailableError';
  }
}
