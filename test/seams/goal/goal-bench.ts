import type { Agent, AgentHandle } from '../../../src/harness/agent/types.ts';
import type { Fiber } from '../../../src/harness/kernel/context.ts';
import type { MessageSource } from '../../../src/harness/llm/types.ts';
import { goalDriver } from '../../../src/seams/goal/goal-driver.ts';
import type { GoalDriverConfig } from '../../../src/seams/goal/goal-driver.ts';
import { goals } from '../../../src/seams/goal/goals.ts';
import { bench, eventsOf } from '../../harness/agent/agent-bench.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';

export interface GoalBench extends Bench {
  agent: Agent;
  handle: AgentHandle;
  driver: Fiber;
  /** Resolves when neither the agent nor the driver has anything to do. */
  quiet(): Promise<void>;
  /** `source` of every prompt that was let in: `human`, or the number of its round. */
  prompts(): (string | number)[];
}

/** An agent with goals and their driver, behind a scripted model. */
export async function goalBench(script: readonly ScriptedReply[], config: GoalDriverConfig = {}): Promise<GoalBench> {
  const b = await bench(script);
  await b.ctx.plugin(goals, { defaultMaxGoalRounds: 3 });
  const driver = b.ctx.plugin(goalDriver, config);
  await driver;
  const handle = await b.create();
  const { agent } = handle;
  return {
    ...b,
    driver,
    agent,
    handle,
    quiet: () => b.ctx.goalDriver.whenQuiet(agent),
    prompts: () => eventsOf(agent.session, 'user/message').map(({ data }) => nameOf(data.source)),
  };
}

function nameOf(source: MessageSource): string | number {
  return source.kind === 'goal' ? source.round : 'human';
}
