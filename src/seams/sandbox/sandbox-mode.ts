import type { Session } from '../../harness/session/session.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { isSandboxMode, SANDBOX_MODES } from './types.ts';
import type { SandboxMode } from './types.ts';

declare module '../../harness/session/types.ts' {
  interface SessionEventMap {
    /** The standing mode from here on; never shown to the model. */
    'sandbox/mode': { mode: SandboxMode };
  }
}

/** The mode a session was last set to; `undefined` while the deployment's default holds. */
export function effectiveSandboxMode(events: readonly SessionEvent[]): SandboxMode | undefined {
  return events.findLast((event) => event.type === 'sandbox/mode')?.data.mode;
}

/**
 * The only way to change a session's mode; it counts from the next call on.
 * @throws HarnessError `SANDBOX_MODE_INVALID` for a value outside the vocabulary; the log is then unchanged
 */
export function setSandboxMode(session: Session, mode: SandboxMode): void {
  session.append('sandbox/mode', { mode: assertSandboxMode(mode) });
}

export function assertSandboxMode(value: unknown): SandboxMode {
  if (isSandboxMode(value)) return value;
  throw new HarnessError(
    `"${String(value)}" is not a sandbox mode; the modes are ${SANDBOX_MODES.join(', ')}`,
    'SANDBOX_MODE_INVALID',
  );
}
