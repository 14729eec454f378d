import type { Agent } from '../harness/agent/types.ts';
import type { SessionId } from '../harness/session/types.ts';
import type { Conclusion } from './add-conclusion.ts';
import { budgetProblem, exceededBudget } from './budget.ts';
import type { Exceeded } from './budget.ts';
import type { AgentSetup } from './set-up-agent.ts';

/** Reaching a budget logs it, ends the turn and says which (F5): after each step, before each retry, and by the clock. */
export function addBudget({ agentCtx, request, view }: AgentSetup, conclusion: Conclusion): void {
  const limits = request.config.budget.turn;
  const stop = (agent: Agent, turn: number, exceeded: Exceeded) => {
    agent.session.append('budget/stop', { turn, ...exceeded });
    view.problem ??= budgetProblem(exceeded);
  };
  /** What is published already is no longer stopped. */
  const stopsAt = (agent: Agent, turn: number): boolean => {
    if (conclusion.isReached || view.problem) return false;
    const exceeded = exceededBudget(view.events(), view.model, limits);
    if (exceeded) stop(agent, turn, exceeded);
    return exceeded !== undefined;
  };
  agentCtx.on('agent/turn-stop', (agent, turn) => (stopsAt(agent, turn) ? { action: 'stop' as const } : undefined));
  agentCtx.on(
    'agent/request-error',
    async (agent, turn, _step, _error, _failure, _prior, _signal, next) =>
      stopsAt(agent, turn) ? { action: 'fail' as const } : next(),
    { prepend: true },
  );
  onTurnTimeout(agentCtx, limits.minutes, conclusion, (agent, turn) => {
    stop(agent, turn, { limit: 'minutes', spent: limits.minutes, cap: limits.minutes });
    agent.cancel({ kind: 'user' });
  });
}

/** The longest a timer of Node can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/** A verification and publication under way is not cut: only where it sends the model back, the turn ends then. */
function onTurnTimeout(
  agentCtx: AgentSetup['agentCtx'],
  minutes: number,
  conclusion: Conclusion,
  end: (agent: Agent, turn: number) => void,
): void {
  let timer: NodeJS.Timeout | undefined;
  let running: number | undefined;
  const timeOut = async (id: SessionId, turn: number) => {
    await conclusion.underWay;
    const agent = agentCtx.agents.get(id);
    if (agent && running === turn && !conclusion.isReached) end(agent, turn);
  };
  agentCtx.on('session/event', (session, event) => {
    if (event.type === 'turn/end') {
      clearTimeout(timer);
      running = undefined;
    }
    if (event.type !== 'turn/start') return;
    const { turn } = event.data;
    running = turn;
    timer = setTimeout(() => void timeOut(session.id, turn), Math.min(minutes * 60_000, LONGEST_MS)).unref();
  });
}
