import type { SessionEvent, TodoItem } from '../harness/session/types.ts';
import { spentByChildren } from '../seams/subagent/log-runs.ts';
import { billedUsage, totalTokensOf } from '../seams/token-meter/billed-usage.ts';
import '../bot/session-events.ts';
import type { BodyPart } from './body.ts';
import { assembleBody } from './body.ts';
import { goalLine } from './goal-line.ts';
import { inertInline } from './inert-line.ts';

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
  readonly ending?: Ending;
}

export interface Ending {
  readonly state: 'done' | 'failed' | 'stopped' | 'waiting';
  readonly parts: readonly BodyPart[];
}

const HEADINGS = {
  working: 'Working on it',
  waiting: 'Waiting for you',
  done: 'Done',
  failed: 'That did not work',
  stopped: 'Stopped',
} as const;
const SHOWN_CALLS = 12;

/** Whether a progress comment tells of a job that reached its end. */
export function tellsOfDone(body: string, marker: string): boolean {
  return body.startsWith(`${marker}\n**${HEADINGS.done}**`);
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

type State = keyof typeof HEADINGS;

function stateOf(events: readonly SessionEvent[], { ending }: ProgressFacts): State {
  return ending?.state ?? (waitsFor(events) === undefined ? 'working' : 'waiting');
}

/** The question to a person that has no answer yet. */
function waitsFor(events: readonly SessionEvent[]): string | undefined {
  const last = events.findLast(({ type }) => type === 'human/asked' || type === 'human/answer');
  return last?.type === 'human/asked' ? last.data.request : undefined;
}

function headline({ request, redact }: ProgressFacts, state: State): string {
  const asked = request.url ? `[asked](${request.url})` : 'asked';
  const what = inertInline(clip(redact(request.what), SHOWN_REQUEST_CHARS));
  return `**${HEADINGS[state]}**: ${what} (${asked} by ${inertInline(request.by)})`;
}

function workingParts(events: readonly SessionEvent[], facts: ProgressFacts): BodyPart[] {
  const todos = events.findLast((event) => event.type === 'todo/write');
  const calls = events.flatMap((event) =>
    event.type === 'tool/call' ? [facts.describeCall(event.data.name, event.data.arguments)] : [],
  );
  const last = calls.at(-1);
  const waits = waitsFor(events);
  const goal = goalLine(events, facts.redact);
  return [
    ...(waits ? [{ kind: 'markdown', text: `The comment with \`${waits}\` says what is asked.` } as const] : []),
    ...(goal ? [{ kind: 'markdown', text: goal } as const] : []),
    ...(todos?.type === 'todo/write' ? [{ kind: 'markdown', text: todoList(todos.data.todos, facts) } as const] : []),
    ...(last ? [{ kind: 'markdown', text: `Now: ${inertInline(last)}` } as const] : []),
    ...(calls.length > 0
      ? [
          {
            kind: 'folded',
            summary: `The last ${Math.min(calls.length, SHOWN_CALLS)} of ${calls.length} steps`,
            text: calls.slice(-SHOWN_CALLS).join('\n'),
          } as const,
        ]
      : []),
    ...childParts(events, facts.redact),
  ];
}

/** One line for each child agent. */
function childParts(events: readonly SessionEvent[], redact: (text: string) => string): BodyPart[] {
  const ends = new Map(
    events.flatMap((event) => (event.type === 'subagent/ended' ? [[event.data.runId, event.data]] : [])),
  );
  const lines = events.flatMap((event) => {
    if (event.type !== 'subagent/started') return [];
    const { label, provider, runId } = event.data;
    const end = ends.get(runId);
    const state = end ? `${end.stopReason}, ${end.steps} step${end.steps === 1 ? '' : 's'}` : 'at work';
    return [`${clip(redact(label ?? provider).replaceAll(/\s+/g, ' '), SHOWN_TODO_CHARS)}: ${state}`];
  });
  if (lines.length === 0) return [];
  return [
    { kind: 'folded', summary: `${lines.length} child agent${lines.length === 1 ? '' : 's'}`, text: lines.join('\n') },
  ];
}

function todoList(todos: readonly TodoItem[], { redact }: ProgressFacts): string {
  const lines = todos.slice(0, SHOWN_TODOS).map(({ content, status }) => {
    const box = status === 'completed' ? 'x' : ' ';
    return `- [${box}] ${inertInline(clip(redact(content), SHOWN_TODO_CHARS))}${status === 'in_progress' ? ' (now)' : ''}`;
  });
  const more = todos.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;
}

function figures(events: readonly SessionEvent[], facts: ProgressFacts): string {
  const { tokens, steps } = countUse(events);
  const cost = facts.cost === undefined ? 'cost unknown' : `$${facts.cost.toFixed(4)}`;
  return `<sub>${inertInline(facts.model)} · ${steps} step${steps === 1 ? '' : 's'} · ${tokens.toLocaleString('en-US')} tokens · ${cost} · ${duration(facts.now - facts.startedAt)}</sub>`;
}

/** Tokens of all kinds, those of children included, and model requests of a stretch of the log. */
export function countUse(events: readonly SessionEvent[]): { tokens: number; steps: number } {
  const steps = events.filter(({ type }) => type === 'step/start').length;
  const usages = [...billedUsage(events), ...spentByChildren(events).map(({ usage }) => usage)];
  const tokens = usages.reduce((sum, usage) => sum + totalTokensOf(usage), 0);
  return { tokens, steps };
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
