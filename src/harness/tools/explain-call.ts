import { editDistance } from './edit-distance.ts';

/** Of a call of a tool that is not there: the nearest name, and all there are. Pure. */
export function unknownToolText(name: string, known: readonly string[]): string {
  const told = clipped(name);
  if (known.length === 0) return `unknown tool: ${told}`;
  const near = nearestOf(told, known);
  return `unknown tool: ${told} — ${near === undefined ? '' : `did you mean ${near}? `}there are: ${known.join(', ')}`;
}

/** Of arguments that do not fit: what each field must be and what it was. Pure. */
export function misfitText(toolName: string, violations: readonly string[], args: unknown): string {
  const told =
    typeof args === 'string' ? violations.map((line) => `${line}: ${jsonFault(args)}`) : violations.map(given);
  return `invalid arguments for ${toolName}: ${told.join('; ')} — call ${toolName} again with all of its arguments in one JSON object`;

  function given(line: string): string {
    const path = /^"([^"]+)" must/.exec(line)?.[1];
    return path === undefined ? line : `${line}, not ${shown(valueAt(args, path))}`;
  }
}

function nearestOf(name: string, known: readonly string[]): string | undefined {
  const ranked = known.map((one) => ({ one, distance: editDistance(name.toLowerCase(), one.toLowerCase()) }));
  const [best] = ranked.sort((a, b) => a.distance - b.distance);
  return best && name !== '' && best.distance <= Math.ceil(best.one.length / 2) ? best.one : undefined;
}

/** Why the text is no JSON, and where. */
function jsonFault(text: string): string {
  try {
    JSON.parse(text);
    return `it is the text ${shown(text)}`;
  } catch (error) {
    const { message } = error as Error;
    const reason = message.replaceAll(/\s+/g, ' ').replace(/ \(line \d+ column \d+\)$/, '');
    return /position \d+/.test(reason) ? reason : `${reason}, at position ${positionIn(text, message)}`;
  }
}

/** The engine shows ten characters before the place, or all there are. */
function positionIn(text: string, message: string): number {
  const [, char = '', cut, snippet = ''] = /token '(.)', (\.\.\.)?"([\s\S]*)"(?:\.\.\.)? is not/u.exec(message) ?? [];
  if (snippet === '') return text.length;
  return cut === undefined ? snippet.indexOf(char) : text.indexOf(snippet) + SHOWN_BEFORE;
}
const SHOWN_BEFORE = 10;

const SHOWN_CHARS = 60;

function shown(value: unknown): string {
  return clipped(JSON.stringify(value) ?? 'nothing');
}

/** Not within a character: half of one is refused by stores and by providers. */
function clipped(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

function valueAt(args: unknown, path: string): unknown {
  const steps = path === 'arguments' ? [] : path.split(/[.[\]]+/).filter(Boolean);
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], args);
}
