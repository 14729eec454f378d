import type { DiffFile } from '../../github/diff/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { KeyedFinding } from '../../publish/review/key-findings.ts';
import { placeFinding } from '../../publish/review/place-finding.ts';
import { appliedSuggestion } from '../../publish/review/prove-suggestion.ts';
import type { AppliedSuggestion } from '../../publish/review/prove-suggestion.ts';
import type { SandboxExecutionPolicy } from '../../seams/sandbox/types.ts';
import { checkInSandbox } from '../fix/verify/check-in-sandbox.ts';
import { inParallel } from '../job/in-parallel.ts';

export interface SuggestionPlace {
  readonly root: Context;
  readonly policy: SandboxExecutionPolicy | undefined;
  readonly signal: AbortSignal;
  readonly files: readonly DiffFile[];
  readonly headFile: (path: string) => string | undefined;
}

const AT_ONCE = 4;

/**
 * Takes away the suggestions that would break their file, as the language's own checker in the sandbox says (R4). What it
 * could not read before, and what it is not there for, proves nothing.
 */
export async function checkSuggestions(
  found: readonly KeyedFinding[],
  place: SuggestionPlace,
): Promise<KeyedFinding[]> {
  const absent = new Set<string>();
  return inParallel(found, AT_ONCE, async (keyed, othersMayFollow) => {
    othersMayFollow();
    const applied = appliedSuggestion(placeFinding(keyed.finding, place.files), place);
    if (!applied || !(await breaksFile(applied, place, absent))) return keyed;
    const { suggestion: _, ...finding } = keyed.finding;
    return { ...keyed, finding };
  });
}

async function breaksFile(
  { path, before, after }: AppliedSuggestion,
  place: SuggestionPlace,
  absent: Set<string>,
): Promise<boolean> {
  const check = async (text: string) => {
    const found = await checkInSandbox(path, text, { ...place, absent });
    place.signal.throwIfAborted();
    return found === 'unknown' ? 'unknown' : found.error === undefined ? 'sound' : 'broken';
  };
  return (await check(after)) === 'broken' && (await check(before)) === 'sound';
}
