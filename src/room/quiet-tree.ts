import { endProcesses } from '../bot/fix/verify/end-processes.ts';
import type { Agent } from '../harness/agent/types.ts';
import type { Context } from '../harness/kernel/context.ts';

export type QuietTree = (agent: Agent, signal: AbortSignal) => Promise<void>;

/**
 * Ends what an agent's commands left running before its tree is copied, or written by git: a process that exchanges a folder
 * for a link at the right moment would lead both to anywhere on the host. One call after the other, for each ends the
 * processes of all others.
 */
export function quietTree({ bash, sandboxPolicy }: Pick<Context, 'bash' | 'sandboxPolicy'>): QuietTree {
  let last: Promise<void> = Promise.resolve();
  return (agent, signal) => {
    const end = (): Promise<void> => {
      signal.throwIfAborted();
      return endProcesses({ bash, policy: sandboxPolicy.resolve({ session: agent.session }), signal });
    };
    const own = last.then(end);
    last = own.catch(() => {});
    return own;
  };
}
