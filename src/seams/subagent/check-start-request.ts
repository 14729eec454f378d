import { assertSupportedOutputSchema } from '../../harness/tools/output-schema.ts';
import { assertSubagentMaxDepth } from './delegation-depth.ts';
import { SubagentError } from './subagent-error.ts';
import type { SubagentCapabilities, SubagentProvider, SubagentStartRequest } from './types.ts';

const NEEDS: Readonly<Record<keyof SubagentCapabilities, (request: SubagentStartRequest) => unknown>> = {
  outputSchema: ({ outputSchema }) => outputSchema,
  depthLimit: ({ maxDepth }) => maxDepth,
  toolFilter: ({ toolFilter }) => toolFilter,
  persona: ({ persona }) => persona,
};

/**
 * Everything that can be refused without asking the provider.
 * @throws SubagentError `UNSUPPORTED_CAPABILITY`, `INVALID_DEPTH`, `DEPTH_OUT_OF_RANGE`; `OutputSchemaError`
 */
export function checkStartRequest(provider: SubagentProvider, request: SubagentStartRequest): void {
  for (const [capability, asked] of Object.entries(NEEDS)) {
    if (asked(request) === undefined || provider.capabilities[capability as keyof SubagentCapabilities]) continue;
    throw new SubagentError(`subagent provider "${provider.name}" has no ${capability}`, 'UNSUPPORTED_CAPABILITY');
  }
  if (request.maxDepth !== undefined) assertSubagentMaxDepth(request.maxDepth);
  if (request.outputSchema !== undefined) assertSupportedOutputSchema(request.outputSchema);
}
