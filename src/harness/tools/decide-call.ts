import type { Context } from '../kernel/context.ts';
import { assertNever } from '../llm/errors.ts';
import { scopeTarget } from '../scope/scope.ts';
import { askApproval } from './ask-approval.ts';
import type { CallApproval } from './ask-approval.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';
import type { PreToolDecision, ToolExecution } from './types.ts';

const ALLOW: PreToolDecision = { kind: 'allow' };

/** Policy, approval, guards, in this order. Returns why the call is denied, `undefined` if it may run. */
export async function decideCall(
  ctx: Context,
  catalogue: ToolCatalogue,
  exec: Readonly<ToolExecution>,
): Promise<string | undefined> {
  const denial = await decideByPolicy(ctx, exec);
  if (denial !== undefined || exec.signal.aborted) return denial;
  return decideByGuards(catalogue, exec);
}

async function decideByPolicy(ctx: Context, exec: Readonly<ToolExecution>): Promise<string | undefined> {
  const carrier = scopeTarget(exec.agent ?? {}, exec.agent);
  const decision = await ctx.waterfall(carrier, 'tools/pre-execute', exec, async () => ALLOW);
  switch (decision.kind) {
    case 'allow':
      return undefined;
    case 'deny':
      return decision.reason;
    case 'ask': {
      const approval = ctx.get('approval' as string) as CallApproval | undefined;
      const denial = await askApproval(approval, exec, decision.reason);
      return exec.signal.aborted ? undefined : denial;
    }
    default:
      return assertNever(decision);
  }
}

function decideByGuards(catalogue: ToolCatalogue, exec: Readonly<ToolExecution>): string | undefined {
  for (const guard of catalogue.guards(exec.agent)) {
    const denial = guard(exec);
    if (denial !== undefined) return denial;
  }
  return undefined;
}
