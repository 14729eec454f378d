import type { Plugin } from '../kernel/context.ts';
import type { Dispatch } from '../kernel/event-bus.ts';
import { HarnessError } from '../llm/errors.ts';
import { carrierKeyOf, isScopeCarrier } from './scope.ts';

/** For development and tests: an event about one agent that is dispatched past its scope fails at once. */
export const scopeInvariants: Plugin = {
  name: 'scope-invariants',
  apply(ctx) {
    ctx.on('kernel/dispatch', assertScoped);
  },
};

const CARRIER_REQUIRED = new Set([
  'session/created',
  'session/event',
  'session/flush',
  'session/disposed',
  'subagent/start',
  'subagent/end',
]);
const KEYED_BY_CALL = new Set([
  'tools/pre-execute',
  'tools/execute',
  'tools/post-execute',
  'tools/result',
  'approval/request',
]);

function assertScoped({ name, carrier, args }: Dispatch): void {
  const subject = subjectOf(name, args);
  if (!subject && !CARRIER_REQUIRED.has(name)) return;
  if (!isScopeCarrier(carrier)) throw violation(`${name} was dispatched without a scope carrier`);
  if (subject && carrierKeyOf(carrier) !== subject.key) {
    throw violation(`${name} was dispatched with the carrier of another subject`);
  }
}

/** Whom an event is about, where its arguments tell. */
function subjectOf(name: string, args: readonly unknown[]): { key: unknown } | undefined {
  if (name.startsWith('agent/') || name === 'goal/changed') return { key: args[0] };
  if (KEYED_BY_CALL.has(name)) return { key: (args[0] as { agent?: unknown }).agent };
  if (name === 'system-prompt/assemble') return { key: (args[1] as { scope?: unknown }).scope };
  return undefined;
}

function violation(message: string): HarnessError {
  return new HarnessError(message, 'SCOPE_INVARIANT');
}
