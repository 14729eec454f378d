import { AnonymousEntries } from '../scope/anonymous-entries.ts';
import { duplicateNameError } from '../scope/duplicate-name-error.ts';
import { NamedEntries } from '../scope/named-entries.ts';
import type { ScopeKey } from '../scope/scope.ts';
import type { ScopeLayer } from '../scope/scoped-layers.ts';
import type { AssembleContext, PromptSection, ToolProviderResult } from './types.ts';

export type VariableProvider = (context: AssembleContext) => string | undefined;
export type ToolProvider = (context: AssembleContext) => ToolProviderResult;

/** What one scope contributes to its prompts. */
export class PromptLayer implements ScopeLayer {
  readonly sections: NamedEntries<PromptSection>;
  readonly variables: NamedEntries<VariableProvider>;
  readonly toolProviders = new AnonymousEntries<ToolProvider>();

  constructor(scope: ScopeKey | undefined) {
    this.sections = new NamedEntries(duplicateNameError('prompt section', scope));
    this.variables = new NamedEntries(duplicateNameError('prompt variable', scope));
  }

  isEmpty(): boolean {
    return this.sections.isEmpty() && this.variables.isEmpty() && this.toolProviders.isEmpty();
  }
}
