import { HarnessError } from '../llm/errors.ts';
import type { ScopeKey } from './scope.ts';

/** The error of a table of `kind` (`tool`, `command`, …) for a name taken in the same layer. */
export function duplicateNameError(kind: string, scope: ScopeKey | undefined): (name: string) => HarnessError {
  const remedy = scope ? '' : '; to replace it for one agent, register it through `agent.ctx`';
  return (name) => new HarnessError(`${kind} "${name}" is already registered${remedy}`, 'DUPLICATE_NAME');
}
