import type { Session } from '../../harness/session/session.ts';
import type { JsonValue } from '../../harness/session/types.ts';
import type { HookInvocation, HookOutput, HookResultRecord } from './types.ts';

/** Logged before the hook runs, so that a crash leaves "invoked, never answered" and not silence. */
export function recordInvoked(session: Session, invocation: HookInvocation): void {
  session.append('hook/invoked', { ...invocation });
}

/** What was decided, and what was asked for and is not done. */
export function recordResult(session: Session, record: HookResultRecord): void {
  const { turn, point, handlerId, output, stderrSummaryMaxChars, durationMs } = record;
  // A call from outside the loop may outlive the turn it began in.
  if (session.openTurn !== turn) return;
  const { exitCode, stderr, updatedInput, systemMessage } = output;
  session.append('hook/result', {
    turn,
    point,
    handlerId,
    decision: verdictOf(output),
    ...(exitCode !== undefined && { exitCode }),
    ...(stderr && { stderrSummary: summarize(stderr, stderrSummaryMaxChars) }),
    durationMs,
    ...(updatedInput && { updatedInput: updatedInput as JsonValue }),
    ...(systemMessage !== undefined && { systemMessage }),
  });
}

function verdictOf({ decision, continue: goOn }: HookOutput) {
  return decision ?? (goOn === false ? 'stop' : 'pass');
}

/** At most `maxChars` with the ellipsis, and no half of a surrogate pair. */
function summarize(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
