import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';

/** A stored session's agent between turns. */
export interface Desk {
  readonly ctx: Context;
  readonly agent: Agent;
}
