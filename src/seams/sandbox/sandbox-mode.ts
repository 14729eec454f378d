import { lastOfType } from '../../harness/session/last-of-type.ts';
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
  return lastOfType(events, 'sandbox/mode')?.data.mode;
}

/**
 * The only way to change a session's mode; it counts from the next call on.
 * @throws HarnessError `SANDBOX_MODE_INVALID` for a value outside the vocabulary, `SANDBOX_MODE_IN_USE` for a narrower
 * mode while something still runs under a wider one; the log is then unchanged
 */
export function setSandboxMode(session: Session, mode: SandboxMode): void {
  assertNothingWider(session, assertSandboxMode(mode));
  session.append('sandbox/mode', { mode });
}

interface ModeHolder {
  readonly mode: SandboxMode;
  readonly what: string;
}
const holders = new WeakMap<Session, Set<ModeHolder>>();

/**
 * Says that something outlives its call in a container of this mode: a background command, a terminal, a language
 * server. `what` names it for people. Returns how to say that it has ended.
 */
export function holdSandboxMode(session: Session, mode: SandboxMode, what: string): () => void {
  const held = holders.get(session) ?? new Set<ModeHolder>();
  const holder = { mode, what };
  holders.set(session, held.add(holder));
  return () => void held.delete(holder);
}

/** A narrower mode would be a lie as long as something goes on in a wider container. */
function assertNothingWider(session: Session, mode: SandboxMode): void {
  const present = effectiveSandboxMode(session.events);
  if (present && !isWiderMode(present, mode)) return;
  const wider = [...(holders.get(session) ?? [])].filter((holder) => isWiderMode(holder.mode, mode));
  if (wider.length === 0) return;
  const list = wider.map((holder) => `${holder.what} (${holder.mode})`).join(', ');
  throw new HarnessError(
    `The mode cannot become ${mode} while these run: ${list} — end them first`,
    'SANDBOX_MODE_IN_USE',
  );
}

function isWiderMode(a: SandboxMode, b: SandboxMode): boolean {
  return SANDBOX_MODES.indexOf(a) > SANDBOX_MODES.indexOf(b);
}

export function assertSandboxMode(value: unknown): SandboxMode {
  if (isSandboxMode(value)) return value;
  throw new HarnessError(
    `"${String(value)}" is not a sandbox mode; the modes are ${SANDBOX_MODES.join(', ')}`,
    'SANDBOX_MODE_INVALID',
  );
}
