import type { Agent } from '../../harness/agent/types.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { SessionId } from '../../harness/session/types.ts';
import type { Conclusion } from '../job/add-conclusion.ts';
import { budgetProblem, exceededBudget } from './budget.ts';
import type { Exceeded } from './budget.ts';
import { DayBudget } from './day-budget.ts';
import type { AgentSetup } from '../job/set-up-agent.ts';
import { spentIn } from './spent.ts';

/** Reaching a budget logs it, ends the turn and says which (F5): after each step, before each retry, and by the clock. */
export function addBudget(setup: AgentSetup, conclusion: Conclusion): void {
  const { agentCtx, root, request, view } = setup;
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
  const day = addDayBudget(setup);
  const stopsToday = async (agent: Agent, turn: number): Promise<boolean> => {
    await day.book();
    if (stopsAt(agent, turn)) return true;
    if (conclusion.isReached || view.problem) return false;
    const exceeded = await day.exceeded();
    if (exceeded) stop(agent, turn, exceeded);
    return exceeded !== undefined;
  };
  agentCtx.on('agent/turn-stop', async (agent, turn) =>
    (await stopsToday(agent, turn)) ? { action: 'stop' as const } : undefined,
  );
  agentCtx.on(
    'agent/request-error',
    async (agent, turn, _step, _error, _failure, _prior, _signal, next) => {
      if (await stopsToday(agent, turn)) return { action: 'fail' as const };
      const decision = await next();
      // What made room for another attempt was paid for, too.
      return decision.action === 'retry' && stopsAt(agent, turn) ? { action: 'fail' as const } : decision;
    },
    { prepend: true },
  );
  root.on('llm/stream', ({ purpose }, next) => {
    if (purpose !== undefined && !conclusion.isReached && exceededBudget(view.events(), view.model, limits)) {
      throw new HarnessError(`no ${purpose}: the budget of this turn is spent`, 'BUDGET');
    }
    return next();
  });
  onTurnTimeout(agentCtx, limits.minutes, conclusion, (agent, turn) => {
    stop(agent, turn, { limit: 'minutes', spent: limits.minutes, cap: limits.minutes });
    agent.cancel({ kind: 'user' });
  });
}

/** Where the day's money is spent, no turn begins. */
function addDayBudget({ agentCtx, request, view, parts }: AgentSetup): DayBudget {
  const { config, turn } = request;
  const { actor, repo } = turn.reading;
  const spent = () => spentIn(view.events(), view.model).cost;
  const { spending } = parts.records;
  const day = new DayBudget({
    ...{ spending, now: parts.now, limits: config.budget.day, person: actor, repository: repo.id, spent },
  });
  agentCtx.on('session/event', (_session, event) => void (event.type === 'turn/start' && day.begin()));
  agentCtx.on('agent/prompt-submit', async (agent, _content, _source, _signal, next) => {
    const exceeded = await day.exceeded();
    if (!exceeded) return next();
    agent.session.append('budget/stop', { turn: agent.session.lastTurn, ...exceeded });
    view.problem ??= budgetProblem(exceeded);
    return { kind: 'block', reason: view.problem.message };
  });
  view.bookSpending = () => day.book();
  return day;
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
