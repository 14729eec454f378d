import { AnonymousEntries } from '../scope/anonymous-entries.ts';
import { duplicateNameError } from '../scope/duplicate-name-error.ts';
import { NamedEntries } from '../scope/named-entries.ts';
import type { ScopeKey } from '../scope/scope.ts';
import type { ScopeLayer } from '../scope/scoped-layers.ts';
import type { ToolDefinition, ToolGuard, ToolRestriction } from './types.ts';

/** What one scope contributes: its tools, its view of the global ones, and its guards. */
export class ToolLayer implements ScopeLayer {
  readonly tools: NamedEntries<ToolDefinition>;
  readonly restrictions = new AnonymousEntries<ToolRestriction>();
  readonly guards = new AnonymousEntries<ToolGuard>();

  constructor(scope: ScopeKey | undefined) {
    this.tools = new NamedEntries(duplicateNameError('tool', scope));
  }

  isEmpty(): boolean {
    return this.tools.isEmpty() && this.restrictions.isEmpty() && this.guards.isEmpty();
  }
}
