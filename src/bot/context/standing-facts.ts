import type { MessageSource } from '../../harness/llm/types.ts';
import { displayPromptContent } from '../../harness/session/display-prompt-content.ts';
import type { SessionEvent, TodoItem } from '../../harness/session/types.ts';
import type { Config } from '../../config/config.ts';
import type { TreeChange } from '../../github/tree/types.ts';
import { openApprovals } from '../../seams/approval/open-approvals.ts';
import { isCompactCheckpointSource } from '../../seams/compaction/checkpoint.ts';
import { countUse } from '../../publish/progress/progress.ts';
import { breakOwnTags } from './own-tags.ts';
import { spentIn } from '../limits/spent.ts';

const SHOWN_REQUEST_CHARS = 4_000;
const SHOWN_PATHS = 50;

export interface StandingFacts {
  readonly events: readonly SessionEvent[];
  /** What is known only while a job runs. */
  readonly job?: {
    readonly changes: readonly TreeChange[];
    /** `provider/model`. */
    readonly model: string;
    readonly limits: Config['budget']['turn'];
  };
}

type JobFacts = NonNullable<StandingFacts['job']>;

/** What no summary may lose, from the log and the tree (PR18): request, list, changes, open approvals, budget left. Pure. */
export function standingFacts({ events, job }: StandingFacts): string {
  const parts = [
    section('## My request', requestOf(events)),
    section('The todo list', todoLines(lastTodos(events))),
    section('Changed in the tree so far', changeLines(job?.changes ?? [])),
    section(
      'Approvals that are still open',
      openApprovals(events)
        .map(({ data: { id, toolName } }) => `${id} (${toolName})`)
        .join('\n'),
    ),
    section('Left of this turn', job ? budgetLine(turnOf(events), job) : ''),
  ];
  return breakOwnTags(`From the records of the host:\n\n${parts.filter(Boolean).join('\n\n')}`);
}

function section(title: string, text: string): string {
  return text && `${title}:\n${text}`;
}

function turnOf(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.slice(
    Math.max(
      0,
      events.findLastIndex(({ type }) => type === 'turn/start'),
    ),
  );
}

/** The last prompt of a person or of an event, as it was written; where there is none, what the session was started with. */
function requestOf(events: readonly SessionEvent[]): string {
  const prompts = events.filter(
    (event): event is SessionEvent<'user/message'> =>
      event.type === 'user/message' && !isCompactCheckpointSource(event.data.source),
  );
  const prompt = prompts.findLast(({ data: { source } }) => isRequest(source)) ?? prompts.at(-1);
  if (!prompt) return '';
  const text = displayPromptContent(prompt.data)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
  const shown = text.slice(0, SHOWN_REQUEST_CHARS).replace(/[\ud800-\udbff]$/, '');
  return text.length > SHOWN_REQUEST_CHARS ? `${shown} […]` : text;
}

/** Not what the host tells a turn that goes on. */
function isRequest(source: MessageSource): boolean {
  return PEOPLE.has(source.kind) || (source.kind === 'plugin' && source.plugin === 'github');
}

const PEOPLE: ReadonlySet<string> = new Set(['user', 'github']);

/** A name with line ends would begin a section of its own. */
function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function lastTodos(events: readonly SessionEvent[]): readonly TodoItem[] {
  const last = events.findLast((event): event is SessionEvent<'todo/write'> => event.type === 'todo/write');
  return last?.data.todos ?? [];
}

function todoLines(todos: readonly TodoItem[]): string {
  return todos.map(({ status, content }) => `- ${status}: ${onOneLine(content)}`).join('\n');
}

function changeLines(changes: readonly TreeChange[]): string {
  const lines = changes.slice(0, SHOWN_PATHS).map(({ kind, path }) => `- ${kind}: ${onOneLine(path)}`);
  const more = changes.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function budgetLine(turn: readonly SessionEvent[], { model, limits }: JobFacts): string {
  const { steps, tokens } = countUse(turn);
  const { cost } = spentIn(turn, model);
  const left = (cap: number, spent: number) => Math.max(0, cap - spent);
  const money = cost === undefined ? '' : `, ${left(limits.cost, cost).toFixed(2)} US dollars`;
  return `${left(limits.steps, steps)} steps, ${left(limits.tokens, tokens)} tokens${money}`;
}
