import type { Agent, ContinuationDecision } from '../../harness/agent/types.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import type { JobKind } from '../../triggers/reading.ts';
import { budgetShares } from '../limits/budget.ts';
import { hostNote } from '../context/host-note.ts';
import { NUDGES, budgetNudge, budgetNudgeForText, failedEditsNudge, repeatedNudge } from '../prompts/nudges.ts';
import type { AgentSetup } from '../job/set-up-agent.ts';
import { fileOfFailedEdits } from './failed-edits.ts';
import { findLoop } from './find-loop.ts';
import type { FinishedCall } from './finished-calls.ts';
import { finishedCalls } from './finished-calls.ts';
import { onlyAnnounces } from './only-announces.ts';

declare module '../../harness/session/types.ts' {
  interface SessionEventMap {
    /** The model was told that it goes astray; the note itself is a message. */
    'bot/nudge': { turn: number; kind: NudgeKind };
  }
}
export type NudgeKind = 'no-answer' | 'open-job' | 'announced' | 'repeated' | 'alternating' | 'failed-edits' | 'budget';

type Setup = Pick<AgentSetup, 'agentCtx' | 'request' | 'job' | 'view'>;

/** Tells a model that goes astray, each time in the same few words, and gives up on one that does not listen (PR36). */
export function addNudges(setup: Setup): void {
  const { agentCtx, view } = setup;
  agentCtx.on('agent/turn-continuation', async (agent, turn, _default, _signal, next) => {
    const decision = await next();
    if (decision.action === 'continue' || setup.job.isSubmitted) return decision;
    return sendOn(agent, turn, endingNudge(setup.request.turn.job, turnOf(view.events()))) ?? decision;
  });
  agentCtx.on('agent/post-step', (agent, turn) => {
    for (const { kind, text } of stepNudges(setup, turnOf(view.events()))) {
      log(agent, turn, kind);
      const { content, source } = hostNote(text);
      agent.inject(content, { source });
    }
  });
}

interface Nudge {
  readonly kind: NudgeKind;
  readonly text: string;
}

function sendOn(agent: Agent, turn: number, nudge: Nudge | undefined): ContinuationDecision | undefined {
  if (!nudge) return undefined;
  log(agent, turn, nudge.kind);
  return { action: 'continue', reason: hostNote(nudge.text) };
}

function log(agent: Agent, turn: number, kind: NudgeKind): void {
  agent.session.append('bot/nudge', { turn, kind });
}

const MAX_IN_A_ROW = 2;
const MAX_OPEN_JOB = 5;

/** For a model that stops without having ended its job. Throws where it said nothing twice. */
function endingNudge(job: JobKind, events: readonly SessionEvent[]): Nudge | undefined {
  const said = lastSaid(events);
  if (!said || said.hasCalls) return undefined;
  const sent = (kind: NudgeKind) => count(events, kind);
  if (said.text === '') {
    if (sent('no-answer') > 0) throw new HarnessError('the model ended without an answer, twice', 'EMPTY_RESPONSE');
    return { kind: 'no-answer', text: NUDGES.noAnswer };
  }
  if (job === 'fix' || job === 'plan') {
    const inARow = count(events.slice(lastCall(events) + 1), 'open-job');
    const isOver = inARow >= MAX_IN_A_ROW || sent('open-job') >= MAX_OPEN_JOB;
    return isOver ? undefined : { kind: 'open-job', text: NUDGES.openJob };
  }
  if (job === 'goal' || sent('announced') > 0 || !onlyAnnounces(said.text)) return undefined;
  return { kind: 'announced', text: NUDGES.announced };
}

function lastSaid(events: readonly SessionEvent[]): { text: string; hasCalls: boolean } | undefined {
  const message = events.findLast((event) => event.type === 'assistant/message');
  if (message?.type !== 'assistant/message') return undefined;
  const { content } = message.data;
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  return { text: text.trim(), hasCalls: content.some(({ type }) => type === 'tool-call') };
}

/** After each step. Throws `AGENT_STUCK` for a model that goes round in circles although it was told. */
function stepNudges({ request, view }: Setup, events: readonly SessionEvent[]): Nudge[] {
  const calls = callsOfStep(events);
  const signs = calls.map(findLoop);
  const loop = signs.find((sign) => sign?.kind === 'stuck') ?? signs.findLast((sign) => sign !== undefined);
  if (loop?.kind === 'stuck') {
    const message = `The model ${loop.why}`;
    view.problem ??= { code: 'AGENT_STUCK', message, hint: STUCK_HINT };
    throw new HarnessError(message, 'AGENT_STUCK');
  }
  const path = calls.map(fileOfFailedEdits).findLast((file) => file !== undefined);
  return [
    ...(loop?.kind === 'repeated'
      ? [{ kind: 'repeated', text: loop.times === 3 ? NUDGES.repeated : repeatedNudge(loop.call, loop.times) } as const]
      : []),
    ...(loop?.kind === 'alternating' ? [{ kind: 'alternating', text: NUDGES.alternating } as const] : []),
    ...(path === undefined ? [] : [{ kind: 'failed-edits', text: failedEditsNudge(path) } as const]),
    ...budgetNudges(request, view, events),
  ];
}

const STUCK_HINT = '`/dsh retry` goes on from the changes so far; say in it what to do otherwise.';

const NEARLY_SPENT = 0.8;

function budgetNudges(
  { config, turn }: Setup['request'],
  view: Setup['view'],
  events: readonly SessionEvent[],
): Nudge[] {
  if (count(events, 'budget') > 0) return [];
  const nearly = budgetShares(events, view.model, config.budget.turn).find(
    ({ spent, cap }) => spent >= cap * NEARLY_SPENT && spent < cap,
  );
  if (!nearly) return [];
  const endsByTool = turn.job === 'fix' || turn.job === 'goal' || turn.job === 'plan';
  return [{ kind: 'budget', text: endsByTool ? budgetNudge(nearly) : budgetNudgeForText(nearly) }];
}

function turnOf(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.slice(events.findLastIndex(({ type }) => type === 'turn/start'));
}

function lastCall(events: readonly SessionEvent[]): number {
  return events.findLastIndex(({ type }) => type === 'tool/call');
}

/** For each call of the step that ends now: all calls up to it. */
function callsOfStep(events: readonly SessionEvent[]): (readonly FinishedCall[])[] {
  const start = events.findLastIndex(({ type }) => type === 'step/start');
  const calls = finishedCalls(events);
  const before = finishedCalls(events.slice(0, start)).length;
  return calls.slice(before).map((_, at) => calls.slice(0, before + at + 1));
}

function count(events: readonly SessionEvent[], kind: NudgeKind): number {
  return events.filter((event) => event.type === 'bot/nudge' && event.data.kind === kind).length;
}
