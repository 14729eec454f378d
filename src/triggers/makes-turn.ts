import { COMMANDS } from './command-table.ts';
import { goalWord } from '../seams/goal/goal-word.ts';
import type { Command } from './parse-commands.ts';

/** Whether it wakes the model. Of a goal only a new one and going on with one do; looking at it, pausing and the like do not. */
export function makesTurn({ name, text }: Pick<Command, 'name' | 'text'>): boolean {
  if (name !== 'goal') return COMMANDS[name].makesTurn;
  const { kind } = goalWord(text);
  return kind === 'create' || kind === 'resume';
}
