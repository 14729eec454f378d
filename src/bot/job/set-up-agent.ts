import { installAgentLlmTarget } from '../../harness/agent/llm-target.ts';
import type { AgentLlmTarget } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import type { Progress } from '../../publish/progress/surface.ts';
import { addBudget } from '../limits/add-budget.ts';
import { addGoal } from '../fix/add-goal.ts';
import { addConclusion } from './add-conclusion.ts';
import { addSyntaxCheck } from '../fix/verify/check-syntax.ts';
import type { JobRequest } from './job.ts';
import type { Job } from './job-kind.ts';
import type { JobView } from '../telling/job-view.ts';
import { addNudges } from '../nudges/add-nudges.ts';
import { JOB_TOOLS, sectionsOf } from '../prompts/sections.ts';
import { readInstructions, readTreeOutline } from '../context/read-base-files.ts';
import { appendNetwork, watchCalls } from './log-network.ts';
import type { Subject } from '../context/read-subject.ts';
import type { Records } from '../../store/records.ts';
import type { SetupReport } from './setup-report.ts';
import { tellProgress } from '../telling/tell-progress.ts';

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
  readonly setup: SetupReport | undefined;
  readonly parts: { readonly records: Pick<Records, 'spending'>; readonly now: () => Date };
}

/** Registers what belongs to this agent alone: its tools, its prompt, its limits, and what happens when it stops. */
export function setUpAgent(setup: AgentSetup): void {
  const { agentCtx, request, job, target } = setup;
  const { config, turn } = request;
  if (turn.job === 'goal') addGoal(setup);
  agentCtx.tools.restrict({
    allow: agentCtx.tools.knownNames().filter((name) => JOB_TOOLS[turn.job].includes(name) || !OUR_TOOLS.has(name)),
  });
  for (const tool of job.tools) agentCtx.tools.register(tool);
  const asksPeople = agentCtx.tools.knownNames().includes('ask_user_question');
  for (const section of sectionsOf(turn.job, { asksPeople })) agentCtx.systemPrompt.section(section);
  installAgentLlmTarget(agentCtx, { current: target, assembled: undefined });
  agentCtx.on('agent/request', async (_agent, _turn, _step, _config, _signal, next) => ({
    ...(await next()),
    maxTokens: config.maxOutputTokens,
  }));
  addSessionPrefix(setup);
  logSetup(setup);
  watchCalls(agentCtx, setup.root);
  if (job.mode === 'workspace-write') addSyntaxCheck(agentCtx, setup.root);
  const conclusion = addConclusion(setup);
  addNudges(setup);
  addBudget(setup, conclusion);
  tellProgress(setup);
}

/** All else that is mounted was added by a plugin, and every job has it. */
const OUR_TOOLS: ReadonlySet<string> = new Set(Object.values(JOB_TOOLS).flat());

/** What setup asked of the network belongs to the turn that it was for. */
function logSetup({ agentCtx, setup }: AgentSetup): void {
  let requests = setup?.requests ?? [];
  agentCtx.on('agent/request', async (agent, _turn, _step, _config, _signal, next) => {
    appendNetwork(agent.session, requests);
    requests = [];
    return next();
  });
}

/** Instructions and tree from the base commit, so that neither a pull request nor the sandbox can instruct (X6). */
function addSessionPrefix({ agentCtx, checkout }: AgentSetup): void {
  agentCtx.on('agent/session-prefix', async (_agent, _prefix, signal, next) => {
    const { gitDir, mirror, baseSha: sha } = checkout;
    const base = { gitDir, sha, signal, mirror };
    const [instructions, outline] = await Promise.all([readInstructions(base), readTreeOutline(base)]);
    const texts = [
      ...(instructions ? [`The repository's instructions:\n\n${instructions}`] : []),
      `The repository's tree, two levels deep:\n\n${outline}`,
    ];
    return [
      { role: 'user' as const, content: [{ type: 'text' as const, text: texts.join('\n\n') }] },
      ...(await next()),
    ];
  });
}
