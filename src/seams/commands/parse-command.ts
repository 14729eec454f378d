import type { ParsedCommand } from './types.ts';

export const COMMAND_NAME = /^[a-z][a-z0-9_-]*$/;

/** A slash at the very beginning, a name, then the end or a separator. Nothing after the name is normalized (C1, C2). */
export function parseCommand(line: string): ParsedCommand | undefined {
  const match = /^\/([a-z][a-z0-9_-]*)(?=$|[ \t\r\n])/.exec(line);
  return match?.[1] === undefined ? undefined : { name: match[1], rawInput: line.slice(match[0].length) };
}
