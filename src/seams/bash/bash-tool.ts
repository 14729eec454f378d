import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition } from '../../harness/tools/types.ts';
import { assertPolicyPresent, ESCALATION_FIELDS } from '../sandbox/call-policy.ts';
import { bashRequest } from './bash-request.ts';
import { bashSetup, offersNetwork } from './bash-setup.ts';
import type { BashSetup, BashToolConfig } from './bash-setup.ts';
import { BASH_GUIDANCE, bashDescription } from './bash-texts.ts';
import { presentBashCall, presentBashResult } from './bash-view.ts';
import { runForeground } from './run-foreground.ts';
import { startInBackground } from './start-in-background.ts';
import { toolSection } from './tool-section.ts';

const PARAMETERS = {
  command: { type: 'string', required: true, description: 'The command, as bash reads it.' },
  description: { type: 'string', required: true, description: 'What it is for, in a few words for people.' },
  timeoutMs: { type: 'number', description: 'Limit of this call in milliseconds.' },
  workdir: { type: 'string', description: 'Directory to run in, relative to the work tree. Default: the work tree.' },
} as const;
const BACKGROUND = {
  run_in_background: { type: 'boolean', description: 'Start it as a task and return its id at once.' },
} as const;
const NETWORK = {
  network: {
    type: 'string',
    enum: ['allow-list', 'full'],
    description: 'Open the network for this one call: package registries, or all public hosts. A person is asked.',
  },
} as const;
type Parameters = typeof PARAMETERS & typeof BACKGROUND & typeof NETWORK & typeof ESCALATION_FIELDS;

/** The shell of the model. Commands run through the mounted executor under the policy of the calling session. */
export const bashTool: Plugin<BashToolConfig | undefined> = {
  name: 'bash-tool',
  inject: ['tools', 'systemPrompt', 'bash'],
  apply(ctx: Context, config = {}) {
    assertPolicyPresent(ctx, ctx.bash.sandboxMode, 'bash');
    ctx.tools.register(defineBash(ctx, bashSetup(ctx, config)));
    toolSection(ctx, 'bash', 105, BASH_GUIDANCE);
  },
};

function defineBash(ctx: Context, setup: BashSetup): ToolDefinition {
  return defineTool({
    name: 'bash',
    description: bashDescription(setup),
    parameters: {
      ...PARAMETERS,
      ...(setup.background && BACKGROUND),
      ...(offersNetwork(setup) && NETWORK),
      ...(setup.escalation && ESCALATION_FIELDS),
    } as Parameters,
    async execute(args, exec) {
      const request = await bashRequest(ctx, exec, args, setup);
      const inBackground = args.run_in_background !== undefined && args.run_in_background !== false;
      const task = { enabled: setup.background, label: args.description };
      const text = inBackground
        ? startInBackground(ctx, exec, request, task)
        : await runForeground(ctx, exec, request, setup);
      return [{ type: 'text', text }];
    },
    presentCall: presentBashCall,
    presentResult: (_args, result) => presentBashResult(result),
  });
}
