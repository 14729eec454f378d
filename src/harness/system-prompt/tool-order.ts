import { HarnessError } from '../llm/errors.ts';
import type { ToolSchema } from '../llm/types.ts';
import { TOOL_ORDER_REST } from './types.ts';

/** Throws `INVALID_TOOL_ORDER` for a duplicate, or when the place of all other tools is missing. */
export function checkToolOrder(toolOrder: readonly string[]): void {
  const duplicate = toolOrder.find((name, i) => toolOrder.indexOf(name) !== i);
  if (duplicate !== undefined) throw invalid(`toolOrder lists "${duplicate}" twice`);
  if (!toolOrder.includes(TOOL_ORDER_REST)) throw invalid(`toolOrder needs the entry "${TOOL_ORDER_REST}"`);
}

/**
 * The same order at every start, since the provider's cache keys on it: by name, or as `toolOrder` lists them with
 * all others at its rest entry. A listed tool may be hidden, but nobody knowing its name is a typo.
 */
export function orderTools(
  tools: readonly ToolSchema[],
  knownNames: ReadonlySet<string>,
  toolOrder: readonly string[] = [TOOL_ORDER_REST],
): ToolSchema[] {
  const unknown = toolOrder.find((name) => name !== TOOL_ORDER_REST && !knownNames.has(name));
  if (unknown !== undefined) {
    throw invalid(
      `toolOrder lists the unknown tool "${unknown}"; known: ${[...knownNames].sort().join(', ') || '(none)'}`,
    );
  }
  if (tools.some(({ name }) => name === TOOL_ORDER_REST)) throw invalid(`no tool may be called "${TOOL_ORDER_REST}"`);
  const byName = tools.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return toolOrder.flatMap((entry) =>
    byName.filter(({ name }) => (entry === TOOL_ORDER_REST ? !toolOrder.includes(name) : name === entry)),
  );
}

function invalid(message: string): HarnessError {
  return new HarnessError(message, 'INVALID_TOOL_ORDER');
}
