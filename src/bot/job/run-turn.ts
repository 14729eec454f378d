import type { Checkout } from '../../github/git/checkout.ts';
import type { Agent, AgentLlmTarget, HookContext } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { Progress } from '../../publish/progress/surface.ts';
import type { Subject } from '../context/read-subject.ts';
import { HOST, requestContent } from '../context/request-prompt.ts';
import { requestTitle } from '../context/request-title.ts';
import { resumeContent } from '../context/resume-content.ts';
import type { TreeFate } from '../context/resume-content.ts';
import { withKeptWork } from '../fix/kept-work.ts';
import { snapshotBeside } from '../fix/snapshot-beside.ts';
import { approvalPolicyOf, networkOf } from '../limits/profile.ts';
import type { Profile } from '../limits/profile.ts';
import { goOn } from '../people/wake/go-on.ts';
import { peopleOfTurn } from '../people/people-of-turn.ts';
import { replayReports } from '../people/wake/replay-reports.ts';
import { messageSource, resumeTrigger, turnTrigger } from '../session/turn-trigger.ts';
import type { JobView } from '../telling/job-view.ts';
import { cutOffTurn } from './cut-off-turn.ts';
import type { Working } from './cut-off-turn.ts';
import { watchHandOver } from './hand-over.ts';
import { handedBack, handsBack } from './handed-back.ts';
import type { Job } from './job-kind.ts';
import { tidied } from './job-parts.ts';
import type { JobParts } from './job-parts.ts';
import type { JobOutcome, JobRequest } from './job.ts';
import type { LiveJob } from './live-job.ts';
import { setUpAgent } from './set-up-agent.ts';
import { setUpChild } from './set-up-child.ts';
import type { SetupReport } from './setup-report.ts';
import { takeUp } from './take-up.ts';
import { turnOutcome } from './turn-outcome.ts';

/** What a turn stands on once its tree is there. */
export interface TurnParts {
  readonly request: JobRequest;
  readonly parts: JobParts;
  readonly view: JobView;
  readonly progress: Progress;
  readonly live: LiveJob;
  readonly job: Job;
  readonly subject: Subject;
  readonly checkout: Checkout;
  readonly profile: Profile;
  readonly setup: SetupReport | undefined;
  readonly target: AgentLlmTarget;
  readonly contexts: HookContext[];
  readonly take: Working;
  readonly tree: TreeFate;
  /** Why the tree is not the one that a person's answer is for. */
  readonly lostTree: string | undefined;
}

/** The turn itself, in a room of its own, to the end that the log tells. */
export async function runTurn(turnParts: TurnParts): Promise<JobOutcome> {
  const { request, parts, view, live, job, checkout, target, take } = turnParts;
  const { turn, session, config, signal } = request;
  const people = peopleOfTurn(turnParts);
  const setUp = (agentCtx: Context, root: Context) => {
    setUpAgent({ agentCtx, root, ...turnParts });
    people.mount(agentCtx, root);
  };
  const { profile } = turnParts;
  const network = networkOf(profile, config);
  const room = await parts.openRoom({
    session,
    kind: turn.job,
    mode: job.mode,
    profile,
    network,
    approvalPolicy: policyOf(request, profile),
    checkout,
    target,
    config,
    signal,
    setUp,
    title: requestTitle(turn, turnParts.subject),
    setUpChild: (childCtx, root) => setUpChild({ childCtx, root, ...turnParts }),
  });
  const { agent } = room.handle;
  people.attach(room.handle);
  const handOver = watchHandOver(room, { signal, winding: parts.winding });
  const { snapshots } = parts.records;
  const endSnapshots =
    job.mode === 'workspace-write'
      ? snapshotBeside(room.ctx, agent, { session, checkout, config, snapshots, signal })
      : async () => {};
  try {
    view.watch(() => agent.session.events, take.from);
    job.begin?.(room.ctx, agent);
    live.attach(agent);
    if (handsBack(signal) || parts.winding?.aborted) throw handedBack(session);
    if (take.kind === 'answer') {
      await replayReports(job, agent, view.events());
      goOn(room.handle, turn, take.request, { policy: policyOf(request, profile), lostTree: turnParts.lostTree });
    } else open(agent, take, turnParts);
    if (signal.aborted) agent.cancel({ kind: 'user' });
    await agent.whenIdle();
    await room.ctx.get('goalDriver')?.whenQuiet(agent);
    await endSnapshots();
    await tidied(view.bookSpending(), parts);
    await room.ctx.sessions.flush(agent.session).catch((error: unknown) => {
      throw handedBack(session, error);
    });
    if (handOver.isDone || takeUp(view.events(), { cause: turn.reading.cause, opening: undefined }).kind === 'resume')
      throw handedBack(session);
    const ended = turnOutcome(view.events(), { aborted: signal.aborted && !live.stopped.aborted });
    // What waits for a person is not left over.
    if (!live.stopped.aborted && ended.status !== 'parked') view.problem ??= job.leftOver?.(room.ctx, agent);
    return await withKeptWork(view.finished(job, ended), turnParts);
  } finally {
    handOver.stop();
    await endSnapshots();
    await tidied(room.close(), parts);
  }
}

/** Without GitHub and without a terminal there is nobody to ask. */
function policyOf({ local, asking }: JobRequest, profile: Profile): 'ask' | 'never' {
  return local && !asking?.terminal ? 'never' : approvalPolicyOf(profile);
}

/** Puts what is asked to the agent: in full where the model never saw it, or reports into a memory that is gone. */
function open(
  agent: Agent,
  take: Exclude<Working, { kind: 'answer' }>,
  { request: { turn }, job, contexts, tree }: TurnParts,
): void {
  const cutOff = cutOffTurn(take, job);
  const note = cutOff === undefined ? [] : resumeContent(agent.session.events, cutOff, tree);
  if (take.kind === 'begin')
    return agent.send([...note, ...requestContent(turn)], {
      ...{ source: messageSource(turn), trigger: turnTrigger(turn), contexts },
    });
  const trigger = resumeTrigger(turn, take.turn);
  if (take.wasAsked && job.mode === 'workspace-write') return agent.send(note, { source: HOST, trigger });
  const content = [...note, ...requestContent(turn)];
  agent.send(take.wasAsked ? content : requestContent(turn), {
    source: messageSource(turn),
    trigger,
    contexts,
  });
}
