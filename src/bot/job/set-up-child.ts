import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import { fullName } from '../../github/repository.ts';
import { addSyntaxCheck } from '../fix/verify/check-syntax.ts';
import { exceededBudget } from '../limits/budget.ts';
import { watchCalls } from './log-network.ts';
import type { Profile } from '../limits/profile.ts';
import type { AgentSetup } from './set-up-agent.ts';
import { tellProgress } from '../telling/tell-progress.ts';

export interface ChildSetup extends Pick<AgentSetup, 'root' | 'request' | 'subject' | 'progress' | 'view'> {
  readonly childCtx: Context;
  readonly profile: Profile;
}

/** What a child agent has of the job: its facts as data, its limits, its place in the progress. No right to talk. */
export function setUpChild(setup: ChildSetup): void {
  const { childCtx, root, request, view } = setup;
  childCtx.on('agent/request', async (_agent, _turn, _step, _config, _signal, next) => ({
    ...(await next()),
    maxTokens: request.config.maxOutputTokens,
  }));
  childCtx.on('agent/created', ({ session }) => void view.children.add(session));
  childCtx.on('agent/status', ({ session }, status) => void (status !== 'running' && view.children.delete(session)));
  addFacts(setup);
  watchCalls(childCtx, root);
  addSharedBudget(setup);
  addSyntaxCheck(childCtx, root);
  tellProgress({ ...setup, agentCtx: childCtx });
}

function addFacts({ childCtx, subject, profile }: ChildSetup): void {
  const { kind, number, repository } = subject;
  const what = kind === 'pull' ? 'pull request' : 'issue';
  const text = `<host-note>\nRepository ${fullName(repository)}, ${what} #${number}; this session is ${profile}.\n</host-note>`;
  childCtx.on('agent/session-prefix', async (_agent, _prefix, _signal, next) => [
    { role: 'user' as const, content: [{ type: 'text' as const, text }] },
    ...(await next()),
  ]);
}

/** What children spend is spent by the turn: at its limit they end first, and then the turn says so. */
function addSharedBudget({ childCtx, request, view }: ChildSetup): void {
  const stopIfSpent = (child: Agent) => {
    const exceeded = exceededBudget(view.events(), view.model, request.config.budget.turn, view.childSpending());
    if (!exceeded) return undefined;
    child.cancel({ kind: 'parent' });
    return { action: 'stop' as const };
  };
  childCtx.on('agent/turn-stop', (child) => stopIfSpent(child));
  childCtx.on(
    'agent/request-error',
    async (child, _turn, _step, _error, _failure, _prior, _signal, next) =>
      stopIfSpent(child) ? { action: 'fail' as const } : next(),
    { prepend: true },
  );
}
