import type { Context } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';
import { approveNetwork } from '../sandbox/approve-network.ts';
import { approvalFor, callPolicy } from '../sandbox/call-policy.ts';
import type { EscalationArgs } from '../sandbox/call-policy.ts';
import { validateEscalationArgs } from '../sandbox/escalation.ts';
import type { SandboxExecutionPolicy, SandboxNetwork } from '../sandbox/types.ts';
import { offersNetwork } from './bash-setup.ts';
import type { BashSetup } from './bash-setup.ts';
import type { BashExecRequest } from './executor.ts';

export interface BashArgs extends EscalationArgs {
  command: string;
  description: string;
  timeoutMs?: number;
  workdir?: string;
  network?: string;
}

const MAX_COMMAND_BYTES = 32 * 1024;

/**
 * What one call asks of the executor. Only what the tool names gets through; whatever else the model sent stays behind.
 * @throws HarnessError `INVALID_ARGS`, or `SANDBOX_ESCALATION_…` when wider rights were asked for and not given
 */
export async function bashRequest(
  ctx: Context,
  exec: ToolExecution,
  args: BashArgs,
  setup: BashSetup,
): Promise<BashExecRequest> {
  assertArgs(args);
  const { command, timeoutMs, workdir } = args;
  const policy = await policyOf(ctx, exec, args, setup);
  const dshEnv = ctx.get('bashEnv')?.collect(exec);
  return {
    command,
    ...workdirOf(workdir, exec, policy),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(dshEnv && { dshEnv }),
    ...(policy && { sandboxPolicy: policy }),
  };
}

function assertArgs({ command, description }: BashArgs): void {
  if (command.trim() === '') throw invalid('command is blank — give the command to run');
  if (description.trim() === '') throw invalid('description is blank — say in a few words what the command is for');
  const bytes = Buffer.byteLength(command);
  if (bytes > MAX_COMMAND_BYTES) {
    throw invalid(`command has ${bytes} bytes, the limit is ${MAX_COMMAND_BYTES} — write a file and run that`);
  }
}

async function policyOf(
  ctx: Context,
  exec: ToolExecution,
  args: BashArgs,
  setup: BashSetup,
): Promise<SandboxExecutionPolicy | undefined> {
  const { network: requested, justification, sandbox_permissions: permissions } = args;
  if (requested !== undefined) assertNetworkArgs(args, setup);
  // A reason given for the network alone is not one for a wider mode.
  const modeArgs = requested !== undefined && permissions === undefined ? {} : escalationArgs(args);
  const policy = await callPolicy(ctx, exec, modeArgs, { offered: setup.escalation, subject: 'command' });
  if (requested === undefined || !policy) return policy;

  const request = { requested: requested as SandboxNetwork, justification: justification ?? '' };
  const bounds = { effective: setup.network, bound: setup.networkBound };
  return { ...policy, network: await approveNetwork({ ...request, ...bounds }, approvalFor(ctx, exec)) };
}

function escalationArgs({ sandbox_permissions, justification }: BashArgs): EscalationArgs {
  return {
    ...(sandbox_permissions !== undefined && { sandbox_permissions }),
    ...(justification !== undefined && { justification }),
  };
}

function assertNetworkArgs({ network, justification }: BashArgs, setup: BashSetup): void {
  if (!offersNetwork(setup)) throw invalid('network is not available here: it cannot be opened — leave it out');
  validateEscalationArgs(network, justification);
}

/** A policy brings its root along; without one a relative path starts at the session's own directory. */
function workdirOf(workdir = '', { agent }: ToolExecution, policy?: SandboxExecutionPolicy): { workdir?: string } {
  if (workdir.startsWith('/')) return { workdir };
  const root = policy?.workspaceRoot ?? agent?.session.header.cwd;
  if (root !== undefined) return { workdir: workdir === '' ? root : `${root}/${workdir}` };
  return workdir === '' ? {} : { workdir };
}

function invalid(message: string): HarnessError {
  return new HarnessError(message, 'INVALID_ARGS');
}
