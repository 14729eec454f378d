import { z } from 'zod';

/** Flags of a command; a flag takes no value, or the one its schema describes. */
type Flags = Readonly<Record<string, z.ZodType>>;

export interface CommandSpec {
  /** Turn-making commands wake the model; the others are answered by the host. */
  readonly makesTurn: boolean;
  /** The text runs to the next command line or the end of the comment, else to the end of the line. */
  readonly textToEnd: boolean;
  readonly usage: string;
  readonly summary: string;
  readonly flags: Flags;
}

/** Every command a person can write. A new command is one entry here and its handler in `bot/`. */
export const COMMANDS = {
  fix: {
    makesTurn: true,
    textToEnd: true,
    usage: '/dsh fix [what to do]',
    summary: 'change the code and open a pull request',
    flags: {},
  },
  review: {
    makesTurn: true,
    textToEnd: false,
    usage: '/dsh review [--full] [paths…]',
    summary: 'review this pull request',
    flags: { full: z.literal(true) },
  },
  ask: {
    makesTurn: true,
    textToEnd: true,
    usage: '/dsh ask <question>',
    summary: 'answer a question from the code, without changing it',
    flags: {},
  },
  help: { makesTurn: false, textToEnd: false, usage: '/dsh help', summary: 'show this list', flags: {} },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
