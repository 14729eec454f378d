import type { LlmCallConfig, Message, ToolSchema } from '../llm/types.ts';
import { deepFreeze } from './json.ts';
import type { EpochHeader } from './types.ts';

/** What the model is sent, without what routes or aborts the call. */
export interface ComposedRequest extends LlmCallConfig {
  messages: Message[];
  system?: string;
  tools?: ToolSchema[];
}

/** One request out of a header and the history at its boundary: the prefix stands before the history. Deep-frozen. */
export function composeRequest(header: EpochHeader, history: readonly Message[]): ComposedRequest {
  const { config, system, tools, messagePrefix = [] } = header;
  return deepFreeze({
    ...config,
    messages: [...messagePrefix, ...history],
    ...(system && { system }),
    ...(tools?.length && { tools }),
  });
}
