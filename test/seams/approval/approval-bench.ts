import { approval } from '../../../src/seams/approval/approval.ts';
import { approvalInvariants } from '../../../src/seams/approval/approval-invariants.ts';
import type { ApprovalConfig } from '../../../src/seams/approval/approval-service.ts';
import type { ApprovalOutcome, ApprovalRequest } from '../../../src/seams/approval/types.ts';
import type { AgentHandle } from '../../../src/harness/agent/types.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { bench, eventsOf, text, tool } from '../../harness/agent/agent-bench.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';

export interface ApprovalBench extends Bench {
  readonly handle: AgentHandle;
  /** Calls of the tool `act` that ran. */
  readonly ran: unknown[];
  /** What the turn came to, after the model called `act` once. */
  go(): Promise<void>;
}

/** The harness with the approval seam; `act` needs a yes. */
export async function approvalBench(
  config: ApprovalConfig = {},
  script: ScriptedReply[] = [calls('act', { n: 1 }, 'c-act'), says('done')],
): Promise<ApprovalBench> {
  const b = await bench(script);
  await b.ctx.plugin(approvalInvariants);
  await b.ctx.plugin(approval, config);
  const ran: unknown[] = [];
  b.ctx.tools.register(tool('act', async (args) => (ran.push(args), text('acted'))));
  b.ctx.on('tools/pre-execute', (exec, next) => (exec.name === 'act' ? { kind: 'ask', reason: 'it acts' } : next()));
  const handle = await b.create();
  const go = async () => {
    handle.agent.send(text('go'));
    await handle.agent.whenIdle();
  };
  return { ...b, handle, ran, go };
}

export function auditOf({ handle }: Pick<ApprovalBench, 'handle'>) {
  const asked = eventsOf(handle.agent.session, 'approval/asked').map(({ data }) => data);
  const decided = eventsOf(handle.agent.session, 'approval/decided').map(({ data }) => data);
  return { asked, decided, outcomes: decided.map(({ outcome }) => outcome) };
}

/** Answers from a list, and keeps what it was asked. */
export function channel(b: ApprovalBench, ...answers: unknown[]): ApprovalRequest[] {
  const seen: ApprovalRequest[] = [];
  b.ctx.on('approval/request', (request) => {
    seen.push(request);
    return answers.shift() as ApprovalOutcome;
  });
  return seen;
}
