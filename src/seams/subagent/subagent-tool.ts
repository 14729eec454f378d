import type { Context, Disposer, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition, ToolExecuteReturn, ToolExecution } from '../../harness/tools/types.ts';
import { toolSection } from '../bash/tool-section.ts';
import { answerOf } from './answer-of.ts';
import { runSubagent } from './run-subagent.ts';
import { startBackgroundRun } from './start-background-run.ts';
import { delegationTexts } from './subagent-texts.ts';
import { checkToolConfig } from './subagent-tool-config.ts';
import type { CheckedToolConfig, SubagentToolConfig } from './subagent-tool-config.ts';
import type { SubagentProvider, SubagentStartRequest } from './types.ts';

export type { SubagentToolConfig } from './subagent-tool-config.ts';

const PARAMETERS = {
  description: { type: 'string', required: true, description: 'The task in three to five words, for people.' },
  prompt: { type: 'string', required: true, description: 'The task, and what the answer has to hold.' },
} as const;
const BACKGROUND = {
  run_in_background: { type: 'boolean', description: 'Start it as a task and return its id at once.' },
} as const;

/** Shows the model one provider as a tool, for as long as that provider is there. */
export const subagentTool: Plugin<SubagentToolConfig> = {
  name: 'subagent-tool',
  inject: ['tools', 'systemPrompt', 'subagents'],
  apply(ctx, given) {
    const config = checkToolConfig(given);
    let mounted: Disposer | undefined;
    const mount = (provider: SubagentProvider) => {
      if (provider.name === config.provider) mounted = mountFor(ctx, provider, config);
    };
    const present = ctx.subagents.getProvider(config.provider);
    if (present) mount(present);
    ctx.on('subagent/provider-added', mount);
    ctx.on('subagent/provider-removed', (name) => {
      if (name === config.provider) void mounted?.();
    });
  },
};

function mountFor(ctx: Context, provider: SubagentProvider, config: CheckedToolConfig): Disposer {
  if (config.maxDepth !== 'provider-managed' && !provider.capabilities.depthLimit) {
    const message = `subagent provider "${provider.name}" limits no depth: set maxDepth to "provider-managed"`;
    throw new HarnessError(message, 'INVALID_CONFIG');
  }
  const texts = delegationTexts(provider);
  const { isIsolated = false } = provider;
  return ctx.effect(function* () {
    yield ctx.tools.register(defineSubagent(ctx, config, { description: texts.description, isIsolated }));
    yield toolSection(ctx, config.toolName, 112, texts.guidance(config.toolName));
  }, `tool ${config.toolName}`);
}

function defineSubagent(
  ctx: Context,
  config: CheckedToolConfig,
  { description, isIsolated }: { readonly description: string; readonly isIsolated: boolean },
): ToolDefinition {
  return defineTool({
    name: config.toolName,
    description,
    parameters: { ...PARAMETERS, ...(config.enableRunInBackground && BACKGROUND) } as typeof PARAMETERS &
      typeof BACKGROUND,
    isConcurrencySafe: () => isIsolated,
    execute: async (args, exec) => {
      const request = requestOf(args, exec, config);
      if (!args.run_in_background) return foreground(ctx, request, config);
      if (!config.enableRunInBackground) throw switchedOff();
      return [{ type: 'text', text: startBackgroundRun(ctx, config.provider, request, exec) }];
    },
    presentCall: ({ description: title }) => ({ card: 'generic', title: `subagent: ${title}` }),
  });
}

function requestOf(
  { description, prompt }: { description: string; prompt: string },
  { agent, signal }: ToolExecution,
  { agentOptions, persona, toolFilter, maxDepth }: CheckedToolConfig,
): SubagentStartRequest {
  if (!agent) throw new HarnessError('a subagent needs an agent that delegates', 'NO_AGENT');
  if (prompt.trim() === '') throw new HarnessError('the prompt is blank — say what is to be done', 'INVALID_ARGS');
  return {
    parent: agent,
    signal,
    prompt: [{ type: 'text', text: prompt }],
    label: description,
    ...(agentOptions && { agentOptions }),
    ...(persona !== undefined && { persona }),
    ...(toolFilter && { toolFilter }),
    ...(maxDepth !== 'provider-managed' && { maxDepth }),
  };
}

/** The child's session is in the result's meta, so that a transcript can show it in its place. */
async function foreground(
  ctx: Context,
  request: SubagentStartRequest,
  { provider }: CheckedToolConfig,
): Promise<ToolExecuteReturn> {
  const children: string[] = [];
  const result = await runSubagent(ctx, provider, request, ({ id }) => children.push(id));
  const meta = { session: children[0] ?? null, ...(result.patch && { patch: result.patch.id }) };
  return { content: [{ type: 'text', text: answerOf(result) }], meta };
}

function switchedOff(): HarnessError {
  return new HarnessError(
    'run_in_background is switched off here — run it in the foreground',
    'BACKGROUND_UNAVAILABLE',
  );
}
