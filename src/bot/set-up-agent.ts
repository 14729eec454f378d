import { installAgentLlmTarget } from '../harness/agent/llm-target.ts';
import type { AgentLlmTarget } from '../harness/agent/types.ts';
import type { Context } from '../harness/kernel/context.ts';
import type { Checkout } from '../github/git/checkout.ts';
import type { Progress } from '../publish/surface.ts';
import { describeCall } from './describe-call.ts';
import { exceededBudget } from './budget.ts';
import type { JobRequest } from './job.ts';
import type { Job } from './job-kind.ts';
import { JOB_SECTIONS, JOB_TOOLS } from './prompts/sections.ts';
import { readInstructions, readTreeOutline } from './read-base-files.ts';
import type { Subject } from './read-subject.ts';
import type { JobView } from './run-job.ts';
import { problemOf } from './problem.ts';

export interface AgentSetup {
  readonly agentCtx: Context;
  readonly root: Context;
  readonly request: JobRequest;
  readonly job: Job;
  readonly subject: Subject;
  readonly checkout: Checkout;
  readonly target: AgentLlmTarget;
  readonly progress: Progress;
  readonly view: JobView;
}

/** Registers what belongs to this agent alone: its tools, its prompt, its limits, and what happens when it stops. */
export function setUpAgent(setup: AgentSetup): void {
  const { agentCtx, request, job, target } = setup;
  const { config, turn } = request;
  const own = new Set(job.tools.map((tool) => tool.name));
  agentCtx.tools.restrict({ allow: JOB_TOOLS[turn.job].filter((name) => !own.has(name)) });
  for (const tool of job.tools) agentCtx.tools.register(tool);
  for (const section of JOB_SECTIONS[turn.job]) agentCtx.systemPrompt.section(section);
  installAgentLlmTarget(agentCtx, { current: target, assembled: undefined });
  agentCtx.on('agent/request', async (_agent, _turn, _step, _config, _signal, next) => ({
    ...(await next()),
    maxTokens: config.maxOutputTokens,
  }));
  addSessionPrefix(setup);
  addConclusion(setup);
  addBudget(setup);
  tellProgress(setup);
}

/** Instructions and tree from the base commit, so that neither a pull request nor the sandbox can instruct (X6). */
function addSessionPrefix({ agentCtx, checkout }: AgentSetup): void {
  agentCtx.on('agent/session-prefix', async (_agent, _prefix, signal, next) => {
    const base = { gitDir: checkout.gitDir, sha: checkout.baseSha, signal };
    const [instructions, outline] = await Promise.all([readInstructions(base), readTreeOutline(base)]);
    const texts = [
      ...(instructions ? [`The repository's instructions:\n\n${instructions}`] : []),
      `The repository's tree, two levels deep:\n\n${outline}`,
    ];
    return [{ role: 'user' as const, content: [{ type: 'text' as const, text: texts.join('\n\n') }] }, ...(await next())];
  });
}

/** The outermost voice on going on: when the model stops or has submitted, the job verifies and publishes in this turn. */
function addConclusion({ agentCtx, root, job, subject, checkout, view }: AgentSetup): void {
  let concluded = false;
  agentCtx.on(
    'agent/turn-continuation',
    async (agent, turn, _default, signal, next) => {
      const decision = await next();
      if (concluded || (decision.action === 'continue' && !job.isSubmitted)) return decision;
      try {
        const after = await job.conclude({ subject, checkout, ctx: root, agent, turn, signal });
        concluded = after.action === 'stop';
        return after;
      } catch (error) {
        view.problem ??= problemOf(error);
        throw error;
      }
    },
    { prepend: true },
  );
}

/** Reaching a budget ends the turn and says which (F5). */
function addBudget({ agentCtx, request, view }: AgentSetup): void {
  const limits = request.config.budget.turn;
  const timers = new Map<number, NodeJS.Timeout>();
  const stop = (exceeded: { limit: string; spent: number; cap: number }) => {
    view.problem ??= {
      code: 'BUDGET',
      message: `The turn reached its limit of ${exceeded.cap} ${exceeded.limit}.`,
      hint: 'Raise `budget.turn` in the configuration, or ask for less at once.',
    };
  };
  agentCtx.on('session/event', (session, event) => {
    if (event.type === 'turn/end') clearTimeout(timers.get(event.data.turn));
    if (event.type !== 'turn/start') return;
    const agent = agentCtx.agents.get(session.id);
    const timer = setTimeout(() => {
      stop({ limit: 'minutes', spent: limits.minutes, cap: limits.minutes });
      agent?.cancel({ kind: 'user' });
    }, limits.minutes * 60_000);
    timers.set(event.data.turn, timer.unref());
  });
  agentCtx.on('agent/turn-stop', (agent, turn) => {
    const exceeded = exceededBudget(view.events(), view.model, limits);
    if (!exceeded || view.problem) return undefined;
    agent.session.append('budget/stop', { turn, ...exceeded });
    stop(exceeded);
    return { action: 'stop' as const };
  });
}

function tellProgress({ agentCtx, progress }: AgentSetup): void {
  agentCtx.on('session/event', (_session, event) => {
    if (event.type === 'tool/call') progress.changed(describeCall(event.data.name, event.data.arguments));
    else if (event.type === 'todo/write' || event.type === 'step/end') progress.changed();
    else if (event.type === 'verify/result') {
      const { command, exitCode, onBase } = event.data;
      progress.changed(`verify${onBase ? ' on the base' : ''}: ${command} → exit code ${exitCode ?? 'none'}`);
    }
  });
}
