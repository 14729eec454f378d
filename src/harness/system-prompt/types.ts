import type { ToolSchema } from '../llm/types.ts';

/** Any object, compared by identity; by convention the agent whose scope it is. */
export type ScopeKey = object;

/** Open: the agent package adds `agent?`. An absent scope means global contributions only. */
export interface AssembleContext {
  scope?: ScopeKey;
  signal?: AbortSignal;
}
/** `order` ascends and is finite; `text` may hold `{{variable}}` references. */
export interface PromptSection {
  readonly name: string;
  readonly order: number;
  readonly text: string | ((context: AssembleContext) => string);
}
export interface AssembledSection {
  name: string;
  text: string;
}
export interface ToolProviderResult {
  readonly schemas: readonly ToolSchema[];
  readonly knownNames?: readonly string[];
}
/** Open. */
export interface PromptAssembly {
  sections: AssembledSection[];
  tools: ToolSchema[];
  variables: Record<string, string | undefined>;
}
export interface SystemPromptConfig {
  persona?: string;
  toolOrder?: string[];
}
export const TOOL_ORDER_REST = '<unlisted-tools>';
