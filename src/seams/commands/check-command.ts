import { COMMAND_NAME } from './parse-command.ts';
import type { CommandDefinition, CommandDescriptor } from './types.ts';

export interface StoredCommand {
  readonly descriptor: CommandDescriptor;
  readonly handler: CommandDefinition['handler'];
}

/** A detached, frozen copy: what its owner changes later has no effect (C4). Throws `TypeError` on what is no command (C3). */
export function checkCommand(given: CommandDefinition): StoredCommand {
  const { name, description, input, handler } = given as { [K in keyof CommandDefinition]: unknown };
  if (typeof name !== 'string' || !COMMAND_NAME.test(name)) throw new TypeError(`"${String(name)}" is no command name`);
  if (!isText(description)) throw new TypeError(`command ${name}: the description must be text`);
  if (typeof handler !== 'function') throw new TypeError(`command ${name}: the handler is missing`);
  const hint = input === undefined ? undefined : hintOf(name, input);
  const descriptor = { name, description, ...(hint !== undefined && { input: Object.freeze({ hint }) }) };
  return Object.freeze({
    descriptor: Object.freeze(descriptor),
    handler: handler as CommandDefinition['handler'],
  });
}

function hintOf(name: string, input: unknown): string {
  if (typeof input !== 'object' || input === null) throw new TypeError(`command ${name}: the input must be an object`);
  const { hint } = input as { hint?: unknown };
  if (!isText(hint)) throw new TypeError(`command ${name}: the hint must be text`);
  return hint;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
