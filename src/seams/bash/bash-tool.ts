import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition, ToolExecution } from '../../harness/tools/types.ts';
import { approvalFor, assertPolicyPresent, callPolicy, ESCALATION_FIELDS } from '../sandbox/call-policy.ts';
import { approveNetwork, isWiderNetwork } from '../sandbox/approve-network.ts';
import { validateEscalationArgs } from '../sandbox/escalation.ts';
import type { SandboxExecutionPolicy, SandboxNetwork } from '../sandbox/types.ts';
import { BASH_GUIDANCE, bashDescription } from './bash-texts.ts';
import { presentBashCall, presentBashResult } from './bash-view.ts';
import type { BashExecRequest } from './executor.ts';
import { runForeground } from './run-foreground.ts';
import { startInBackground } from './start-in-background.ts';
import { toolSection } from './tool-section.ts';

/** `network` is what the session's calls reach, `networkBound` the widest a person may open for one call. */
export interface BashToolConfig {
  enableRunInBackground?: boolean;
  /** Whether a wider sandbox may be asked for; never in an untrusted profile. */
  escalation?: boolean;
  treeIsReadOnly?: boolean;
  network?: SandboxNetwork;
  networkBound?: SandboxNetwork;
  maxOutputBytes?: number;
}

/** A configuration with the facts of the mounted executor. */
export interface BashSetup {
  background: boolean;
  escalation: boolean;
  treeIsReadOnly: boolean;
  network: SandboxNetwork;
  networkBound: SandboxNetwork;
  maxOutputBytes: number;
  timeoutMs: number;
  maxTimeoutMs: number;
}

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
const ALL = { ...PARAMETERS, ...BACKGROUND, ...NETWORK, ...ESCALATION_FIELDS };

const MAX_COMMAND_BYTES = 32 * 1024;

/** The shell of the model. Commands run through the mounted executor under the policy of the calling session. */
export const bashTool: Plugin<BashToolConfig | undefined> = {
  name: 'bash-tool',
  inject: ['tools', 'systemPrompt', 'bash'],
  apply(ctx: Context, config = {}) {
    assertPolicyPresent(ctx, ctx.bash.sandboxMode, 'bash');
    ctx.effect(() => ctx.tools.register(defineBash(ctx, bashSetup(ctx, config))), 'bash');
    ctx.effect(() => toolSection(ctx, 'bash', 105, BASH_GUIDANCE), 'tool:bash');
  },
};

function bashSetup(ctx: Context, config: BashToolConfig): BashSetup {
  const network = config.network ?? 'none';
  const escalation = (config.escalation ?? true) && ctx.bash.sandboxMode !== undefined;
  return {
    background: config.enableRunInBackground ?? true,
    escalation,
    treeIsReadOnly: config.treeIsReadOnly ?? ctx.bash.sandboxMode === 'read-only',
    network,
    networkBound: escalation ? (config.networkBound ?? network) : network,
    maxOutputBytes: config.maxOutputBytes ?? 16 * 1024,
    timeoutMs: ctx.bash.resolve({ command: ':' }).timeoutMs,
    maxTimeoutMs: ctx.bash.resolve({ command: ':', timeoutMs: Number.MAX_SAFE_INTEGER }).timeoutMs,
  };
}

function defineBash(ctx: Context, setup: BashSetup): ToolDefinition {
  return defineTool({
    name: 'bash',
    description: bashDescription(setup),
    parameters: {
      ...PARAMETERS,
      ...(setup.background && BACKGROUND),
      ...(offersNetwork(setup) && NETWORK),
      ...(setup.escalation && ESCALATION_FIELDS),
    } as typeof ALL,
    async execute(args, exec) {
      const policy = await policyOf(ctx, exec, args, setup);
      const request = requestOf(ctx, exec, args, policy);
      const inBackground = args.run_in_background !== undefined && args.run_in_background !== false;
      const text = inBackground
        ? startInBackground(ctx, exec, request, { enabled: setup.background, label: args.description })
        : await runForeground(ctx, exec, request, setup);
      return [{ type: 'text', text: await text }];
    },
    presentCall: presentBashCall,
    presentResult: (_args, result) => presentBashResult(result),
  });
}

interface BashArgs {
  command: string;
  description: string;
  timeoutMs?: number;
  workdir?: string;
  network?: string;
  sandbox_permissions?: string;
  justification?: string;
}

/** Only what the tool names gets through; whatever else the model sent stays behind. */
function requestOf(
  ctx: Context,
  exec: ToolExecution,
  { command, description, timeoutMs, workdir }: BashArgs,
  policy: SandboxExecutionPolicy | undefined,
): BashExecRequest {
  if (command.trim() === '') throw invalid('command is blank — give the command to run');
  if (description.trim() === '') throw invalid('description is blank — say in a few words what the command is for');
  const bytes = Buffer.byteLength(command);
  if (bytes > MAX_COMMAND_BYTES) {
    throw invalid(`command has ${bytes} bytes, the limit is ${MAX_COMMAND_BYTES} — write a file and run that`);
  }
  const dshEnv = ctx.get('bashEnv')?.collect(exec);
  return {
    command,
    ...workdirOf(workdir, exec, policy),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(dshEnv && { dshEnv }),
    ...(policy && { sandboxPolicy: policy }),
  };
}

/** A policy brings its root along; without one a relative path starts at the session's own directory. */
function workdirOf(workdir = '', { agent }: ToolExecution, policy?: SandboxExecutionPolicy): { workdir?: string } {
  if (workdir.startsWith('/')) return { workdir };
  const root = policy?.workspaceRoot ?? agent?.session.header.cwd;
  if (root !== undefined) return { workdir: workdir === '' ? root : `${root}/${workdir}` };
  return workdir === '' ? {} : { workdir };
}

async function policyOf(
  ctx: Context,
  exec: ToolExecution,
  args: BashArgs,
  setup: BashSetup,
): Promise<SandboxExecutionPolicy | undefined> {
  const { network, justification, ...rest } = args;
  const onlyNetwork = network !== undefined && args.sandbox_permissions === undefined;
  const escalation = onlyNetwork ? rest : { ...rest, ...(justification !== undefined && { justification }) };
  if (network !== undefined) assertNetworkArgs(args, setup);

  const policy = await callPolicy(ctx, exec, escalation, { offered: setup.escalation, subject: 'command' });
  if (network === undefined || !policy) return policy;
  const request = {
    requested: network as SandboxNetwork,
    justification: justification ?? '',
    effective: setup.network,
  };
  return {
    ...policy,
    network: await approveNetwork({ ...request, bound: setup.networkBound }, approvalFor(ctx, exec)),
  };
}

function assertNetworkArgs({ network, justification }: BashArgs, setup: BashSetup): void {
  if (!offersNetwork(setup)) throw invalid('network is not available here: it cannot be opened — leave it out');
  validateEscalationArgs(network, justification);
}

function offersNetwork({ network, networkBound }: BashSetup): boolean {
  return isWiderNetwork(networkBound, network);
}

function invalid(message: string): HarnessError {
  return new HarnessError(message, 'INVALID_ARGS');
}
