import type { CommandResult } from './types.ts';

/** A detached copy of what a handler returned. Throws `TypeError` on anything else than a result (C14). */
export function checkResult(name: string, returned: unknown): CommandResult {
  const { kind, text } = (returned ?? {}) as { kind?: unknown; text?: unknown };
  if (kind === 'success' && text === undefined) return Object.freeze({ kind });
  if (kind === 'success' && typeof text === 'string') return Object.freeze({ kind, text });
  if (kind === 'error' && typeof text === 'string' && text !== '') return Object.freeze({ kind, text });
  throw new TypeError(`command ${name} returned no result`);
}
