import { isHarnessError } from '../../harness/llm/errors.ts';
import type { Message } from '../../harness/llm/types.ts';

/** What must stay together, such as calls and their results. */
export interface SummaryUnit {
  readonly messages: readonly Message[];
  readonly tokens: number;
}

/** How often a part that did not fit is halved. */
const MAX_HALVINGS = 8;

/**
 * Summarizes units of any number: as many at once as fit, each time together with the summary of those before them.
 * `fits` is in tokens; undefined where nobody knows. Where the provider finds a part too long, half of it is tried.
 */
export async function summarizeUnits(
  units: readonly SummaryUnit[],
  fits: number | undefined,
  ask: (messages: Message[]) => Promise<string>,
  frame: (summary: string) => Message,
): Promise<string> {
  let room = fits ?? Infinity;
  let halvings = 0;
  let summary = '';
  for (let at = 0; at < units.length;) {
    const part = partFrom(units, at, room);
    const messages = part.flatMap((unit) => [...unit.messages]);
    try {
      summary = await ask(summary === '' ? messages : [frame(summary), ...messages]);
      at += part.length;
    } catch (error) {
      if (!isTooLong(error) || part.length === 1 || halvings === MAX_HALVINGS) throw error;
      halvings += 1;
      room = part.reduce((sum, { tokens }) => sum + tokens, 0) / 2;
    }
  }
  return summary;
}

function partFrom(units: readonly SummaryUnit[], at: number, room: number): SummaryUnit[] {
  const part: SummaryUnit[] = [];
  let tokens = 0;
  for (const unit of units.slice(at)) {
    tokens += unit.tokens;
    if (part.length > 0 && tokens > room) break;
    part.push(unit);
  }
  return part;
}

function isTooLong(error: unknown): boolean {
  return isHarnessError(error) && error.code === 'CONTEXT_WINDOW_EXCEEDED';
}
