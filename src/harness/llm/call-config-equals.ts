import type { LlmCallConfig } from './types.ts';

/** Compares every field either side has, merged ones too; an absent field equals `undefined`. */
export function callConfigEquals(a: LlmCallConfig, b: LlmCallConfig): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof LlmCallConfig>;
  return [...keys].every((key) => sameJson(a[key], b[key]));
}

function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
}
