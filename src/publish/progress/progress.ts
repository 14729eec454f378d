import type { SessionEvent, TodoItem } from '../../harness/session/types.ts';
import { spentByChildren } from '../../seams/subagent/log-runs.ts';
import { billedUsage, totalTokensOf } from '../../seams/token-meter/billed-usage.ts';
import '../../bot/session/session-events.ts';
import type { BodyPart } from '../markdown/body.ts';
import { assembleBody } from '../markdown/body.ts';
import { goalLine } from './goal-line.ts';
import { clip } from '../markdown/clip.ts';
import { inertInline } from '../markdown/inert-line.ts';
import { LANGUAGES } from '../language.ts';
import type { Language } from '../language.ts';
import { PROGRESS_TEXTS } from './progress-texts.ts';
import type { ProgressTexts } from './progress-texts.ts';

/** What the log does not hold about a job. Times are epoch milliseconds. */
export interface ProgressFacts {
  readonly marker: string;
  readonly request: { readonly by: string; readonly url: string | undefined; readonly what: string };
  readonly startedAt: number;
  readonly now: number;
  readonly model: string;
  /** In US dollars; undefined where the price of the model is not known. */
  readonly cost: number | undefined;
  readonly describeCall: (name: string, rawArguments: string) => string;
  /** Takes secrets out, before a text is escaped. */
  readonly redact: (text: string) => string;
  readonly ending?: Ending | undefined;
  /** Where the whole session can be read, for as long as the comment stands. */
  readonly transcript?: string | undefined;
  /** Default English. */
  readonly language?: Language;
}

export interface Ending {
  readonly state: 'done' | 'failed' | 'stopped' | 'waiting';
  readonly parts: readonly BodyPart[];
}

const SHOWN_CALLS = 12;

/** Whether a progress comment tells of a job that reached its end. */
export function tellsOfDone(body: string, marker: string): boolean {
  return LANGUAGES.some((language) => body.startsWith(`${marker}\n**${PROGRESS_TEXTS[language].headings.done}**`));
}
/** A request may fill a whole comment, a list may be long: here they are named, not repeated. */
const SHOWN_REQUEST_CHARS = 200;
const SHOWN_TODO_CHARS = 200;
const SHOWN_TODOS = 50;

/** Draws the progress comment of a job from the log of its turn (P3, P5). Pure: the same log gives the same comment. */
export function renderProgress(events: readonly SessionEvent[], facts: ProgressFacts): string {
  const parts: BodyPart[] = [
    { kind: 'markdown', text: `${facts.marker}\n${headline(facts, stateOf(events, facts))}` },
    ...(facts.ending && facts.ending.state !== 'waiting' ? facts.ending.parts : workingParts(events, facts)),
    { kind: 'markdown', text: figures(events, facts) },
  ];
  return assembleBody(parts);
}

function textsOf({ language = 'en' }: Pick<ProgressFacts, 'language'>): ProgressTexts {
  return PROGRESS_TEXTS[language];
}

type State = keyof ProgressTexts['headings'];

function stateOf(events: readonly SessionEvent[], { ending }: ProgressFacts): State {
  return ending?.state ?? (waitsFor(events) === undefined ? 'working' : 'waiting');
}

/** The question to a person that has no answer yet. */
function waitsFor(events: readonly SessionEvent[]): string | undefined {
  const last = events.findLast(({ type }) => type === 'human/asked' || type === 'human/answer');
  return last?.type === 'human/asked' ? last.data.request : undefined;
}

function headline(facts: ProgressFacts, state: State): string {
  const { request, redact } = facts;
  const texts = textsOf(facts);
  const what = inertInline(clip(redact(request.what), SHOWN_REQUEST_CHARS));
  return texts.headline(texts.headings[state], what, inertInline(request.by), request.url);
}

function workingParts(events: readonly SessionEvent[], facts: ProgressFacts): BodyPart[] {
  const todos = events.findLast((event) => event.type === 'todo/write');
  const calls = events.flatMap((event) =>
    event.type === 'tool/call' ? [facts.describeCall(event.data.name, event.data.arguments)] : [],
  );
  const last = calls.at(-1);
  const waits = waitsFor(events);
  const texts = textsOf(facts);
  const goal = goalLine(events, facts.redact, texts);
  return [
    ...(waits ? [{ kind: 'markdown', text: texts.seeRequest(waits) } as const] : []),
    ...(goal ? [{ kind: 'markdown', text: goal } as const] : []),
    ...(todos?.type === 'todo/write' ? [{ kind: 'markdown', text: todoList(todos.data.todos, facts) } as const] : []),
    ...(last ? [{ kind: 'markdown', text: texts.now(inertInline(last)) } as const] : []),
    ...(calls.length > 0
      ? [
          {
            kind: 'folded',
            summary: texts.lastSteps(Math.min(calls.length, SHOWN_CALLS), calls.length),
            text: calls.slice(-SHOWN_CALLS).join('\n'),
          } as const,
        ]
      : []),
    ...childParts(events, facts),
  ];
}

/** One line for each child agent. */
function childParts(events: readonly SessionEvent[], facts: ProgressFacts): BodyPart[] {
  const { redact } = facts;
  const texts = textsOf(facts);
  const ends = new Map(
    events.flatMap((event) => (event.type === 'subagent/ended' ? [[event.data.runId, event.data]] : [])),
  );
  const lines = events.flatMap((event) => {
    if (event.type !== 'subagent/started') return [];
    const { label, provider, runId } = event.data;
    const end = ends.get(runId);
    const state = texts.child(end?.stopReason, end?.steps ?? 0);
    return [`${clip(redact(label ?? provider).replaceAll(/\s+/g, ' '), SHOWN_TODO_CHARS)}: ${state}`];
  });
  if (lines.length === 0) return [];
  return [{ kind: 'folded', summary: texts.children(lines.length), text: lines.join('\n') }];
}

function todoList(todos: readonly TodoItem[], facts: ProgressFacts): string {
  const { redact } = facts;
  const texts = textsOf(facts);
  const lines = todos.slice(0, SHOWN_TODOS).map(({ content, status }) => {
    const box = status === 'completed' ? 'x' : ' ';
    return `- [${box}] ${inertInline(clip(redact(content), SHOWN_TODO_CHARS))}${status === 'in_progress' ? texts.inProgress : ''}`;
  });
  const more = todos.length - lines.length;
  return [...lines, ...(more > 0 ? [`- ${texts.more(more)}`] : [])].join('\n');
}

function figures(events: readonly SessionEvent[], facts: ProgressFacts): string {
  const { tokens, steps } = countUse(events);
  const texts = textsOf(facts);
  const cost = facts.cost === undefined ? texts.costUnknown : `$${facts.cost.toFixed(4)}`;
  const seconds = Math.max(0, Math.round((facts.now - facts.startedAt) / 1000));
  const elapsed = texts.duration(Math.floor(seconds / 60), seconds % 60);
  const used = [texts.steps(steps), texts.tokens(tokens.toLocaleString('en-US')), cost, elapsed];
  const link = facts.transcript === undefined ? [] : [`[${texts.transcript}](${facts.transcript})`];
  return `<sub>${[inertInline(facts.model), ...used, ...link].join(' · ')}</sub>`;
}

/** Tokens of all kinds, those of children included, and model requests of a stretch of the log. */
export function countUse(events: readonly SessionEvent[]): { tokens: number; steps: number } {
  const steps = events.filter(({ type }) => type === 'step/start').length;
  const usages = [...billedUsage(events), ...spentByChildren(events).map(({ usage }) => usage)];
  const tokens = usages.reduce((sum, usage) => sum + totalTokensOf(usage), 0);
  return { tokens, steps };
}
