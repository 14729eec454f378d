import { HarnessError } from '../llm/errors.ts';
import { RESERVED_TOOL_NAME } from './reserved-tool-name.ts';
import type { ToolRestriction } from './types.ts';

/** A detached copy of a restriction that names only global tools. Throws `INVALID_RESTRICTION`. */
export function checkRestriction(
  { allow, deny }: ToolRestriction,
  globalTools: { has(name: string): boolean },
): ToolRestriction {
  if (!allow && !deny) throw invalid('a restriction needs an allow or a deny list');
  for (const name of [...(allow ?? []), ...(deny ?? [])]) {
    if (name === RESERVED_TOOL_NAME) throw invalid(`the reserved tool "${name}" cannot be restricted`);
    if (!globalTools.has(name)) throw invalid(`there is no global tool "${name}" to restrict`);
  }
  return Object.freeze({ ...(allow && { allow: [...allow] }), ...(deny && { deny: [...deny] }) });
}

function invalid(message: string): HarnessError {
  return new HarnessError(message, 'INVALID_RESTRICTION');
}
