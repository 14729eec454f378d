import { z } from 'zod';

/** Flags of a command; a flag takes no value, or the one its schema describes. */
type Flags = Readonly<Record<string, z.ZodType>>;

/**
 * What a person must be allowed to write it: `run` and `approve` are permissions of the config, `ask` may be wider than
 * `run`, `disturb` belongs to whoever started the running turn, and to those who may write.
 */
export type Right = 'run' | 'ask' | 'approve' | 'disturb';

export interface CommandSpec {
  /** Turn-making commands wake the model; the others are answered by the host. */
  readonly makesTurn: boolean;
  readonly right: Right;
  /** The text runs to the next command line or the end of the comment, else to the end of the line. */
  readonly textToEnd: boolean;
  readonly usage: string;
  readonly flags: Flags;
}

/** A goal goes on by itself for no more runs than that, whoever allowed it. */
const MAX_FURTHER_RUNS = 20;

const turn = { makesTurn: true, right: 'run', textToEnd: true, flags: {} } as const;
const human = { makesTurn: false, right: 'run', textToEnd: false, flags: {} } as const;

/** Every command a person can write. A new command is one entry here and its handler in `bot/`. */
export const COMMANDS = {
  fix: { ...turn, usage: '/dsh fix [what to do]' },
  review: {
    ...turn,
    textToEnd: false,
    usage: '/dsh review [--full] [paths…]',
    flags: { full: z.literal(true) },
  },
  ask: {
    ...turn,
    right: 'ask',
    usage: '/dsh ask <question>',
  },
  plan: { ...turn, usage: '/dsh plan [what to do]' },
  goal: {
    ...turn,
    usage: '/dsh goal [--runs=<n>] [<objective> | edit <objective> | pause | resume | clear]',
    flags: { runs: z.coerce.number().int().min(1).max(MAX_FURTHER_RUNS) },
  },
  retry: { ...turn, textToEnd: false, usage: '/dsh retry' },
  say: { ...turn, right: 'disturb', usage: '/dsh say <text>' },
  help: { ...human, right: 'ask', usage: '/dsh help' },
  status: { ...human, right: 'ask', usage: '/dsh status' },
  stop: { ...human, right: 'disturb', usage: '/dsh stop' },
  approve: { ...human, right: 'approve', usage: '/dsh approve [id]' },
  deny: {
    ...human,
    right: 'approve',
    textToEnd: true,
    usage: '/dsh deny [id] [reason]',
  },
  answer: {
    ...human,
    right: 'approve',
    textToEnd: true,
    usage: '/dsh answer [id] <option or text>',
  },
  model: { ...human, usage: '/dsh model [provider/model]' },
  budget: { ...human, usage: '/dsh budget [US dollars]' },
  title: { ...human, usage: '/dsh title <text>' },
  log: { ...human, usage: '/dsh log' },
  compact: { ...human, usage: '/dsh compact' },
  forget: {
    ...human,
    right: 'approve',
    usage: '/dsh forget [--delete]',
    flags: { delete: z.literal(true) },
  },
  undo: { ...human, right: 'approve', usage: '/dsh undo' },
  config: { ...human, usage: '/dsh config' },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
