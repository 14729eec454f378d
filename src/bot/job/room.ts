import type { AgentHandle, AgentLlmTarget, CreateAgentOptions } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { SessionId } from '../../harness/session/types.ts';
import type { Config } from '../../config/config.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import type { JobKind } from '../../triggers/reading.ts';
import type { Job } from './job-kind.ts';
import type { Profile } from '../limits/profile.ts';
import type { RequestTitle } from '../context/request-title.ts';

export interface RoomOptions {
  readonly session: SessionId;
  readonly kind: JobKind;
  readonly mode: Job['mode'];
  readonly profile: Profile;
  /** What commands reach. */
  readonly network: Config['network'];
  /** `never`: nobody is asked to approve anything in this room. */
  readonly approvalPolicy: 'ask' | 'never';
  readonly checkout: Checkout;
  readonly target: AgentLlmTarget;
  readonly config: Config;
  readonly signal: AbortSignal;
  readonly setUp: (agentCtx: Context, root: Context) => void;
  /** What the session is called; absent: the first words of its first message. */
  readonly title?: RequestTitle;
  /** Makes the room that of a child agent with a tree of its own: what its agent is created from. */
  readonly child?: CreateAgentOptions;
  /** For each child agent, before anyone sees it. */
  readonly setUpChild?: (childCtx: Context, root: Context) => void;
}

/** A session's own kernel with its services, its sandbox starting, and its agent created or resumed. */
export interface Room {
  readonly ctx: Context;
  readonly handle: AgentHandle;
  /** Stops the agent, flushes the log, removes the container. */
  close(): Promise<void>;
}
