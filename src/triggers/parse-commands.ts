import { COMMANDS, isCommandName } from './command-table.ts';
import type { CommandName, CommandSpec } from './command-table.ts';
import { findCommandLines } from './find-command-lines.ts';
import type { Addresses, CommandLine } from './find-command-lines.ts';
import { REPLY_TEXTS } from './reply-texts.ts';
import type { ReplyTexts } from './reply-texts.ts';
import { nearestName } from '../config/nearest-name.ts';

export interface Command {
  readonly kind: 'command';
  readonly name: CommandName;
  readonly flags: Readonly<Record<string, string | true>>;
  readonly text: string;
}
/** A line that speaks to the bot but cannot be understood; `reply` says so and names the nearest command. */
export interface Misunderstood {
  readonly kind: 'misunderstood';
  readonly reply: string;
  /** The command as a session itself may understand it, where it is none of ours. */
  readonly line?: string;
}
export type ParsedCommand = Command | Misunderstood;

/** Reads all commands of a comment, in order (T1–T3). Pure; null bodies are empty. */
export function parseCommands(
  rawBody: string | null | undefined,
  addresses: Addresses,
  texts: ReplyTexts = REPLY_TEXTS.en,
): ParsedCommand[] {
  const body = (rawBody ?? '').replace(/^\ufeff/, '');
  const lines = findCommandLines(body, addresses);
  return lines.flatMap((line, i) => parseLine(body, line, lines[i + 1]?.start ?? body.length, texts) ?? []);
}

function parseLine(body: string, line: CommandLine, textEnd: number, texts: ReplyTexts): ParsedCommand | undefined {
  const rest = body.slice(line.textStart, line.lineEnd).replaceAll('\u00a0', ' ').trim();
  const written = /^\S+/.exec(rest)?.[0] ?? 'help';
  const name = written.toLowerCase();
  if (!isCommandName(name))
    return line.address === 'slash' ? unknownCommand(written, rest, texts) : mention(body, line, textEnd);

  const args = rest.slice(written.length).trimStart();
  const { flags, text, unknown } = splitFlags(args, Object.keys(COMMANDS[name].flags));
  if (unknown) return unknownFlag(name, unknown, texts);
  if (!areFit(flags, COMMANDS[name].flags))
    return { kind: 'misunderstood', reply: texts.isWritten(COMMANDS[name].usage) };
  const more = COMMANDS[name].textToEnd ? body.slice(line.lineEnd, textEnd) : '';
  return { kind: 'command', name, flags, text: (text + more).replaceAll('\r\n', '\n').trim() };
}

/** Words to us that name no command are told to the session (T3). */
function mention(body: string, line: CommandLine, textEnd: number): Command | undefined {
  const text = body.slice(line.textStart, textEnd).replaceAll('\r\n', '\n').trim();
  return text === '' ? undefined : { kind: 'command', name: 'say', flags: {}, text };
}

function splitFlags(args: string, known: readonly string[]) {
  const flags: Record<string, string | true> = {};
  let text = args;
  for (;;) {
    const match = /^--([a-z][a-z-]*)(?:=(\S*))?(?:\s+|$)/i.exec(text);
    if (!match?.[1]) return { flags, text, unknown: undefined };
    if (!known.includes(match[1])) return { flags, text, unknown: match[1] };
    flags[match[1]] = match[2] ?? true;
    text = text.slice(match[0].length);
  }
}

function areFit(flags: Command['flags'], specs: CommandSpec['flags']): boolean {
  return Object.entries(flags).every(([name, value]) => specs[name]?.safeParse(value).success);
}

function unknownCommand(written: string, line: string, texts: ReplyTexts): Misunderstood {
  const near = nearestName(written, Object.keys(COMMANDS));
  return {
    kind: 'misunderstood',
    reply: texts.unknownCommand(clip(written), near),
    line: `/${written.toLowerCase()}${line.slice(written.length)}`,
  };
}

function unknownFlag(name: CommandName, flag: string, texts: ReplyTexts): Misunderstood {
  const { flags, usage } = COMMANDS[name];
  const near = nearestName(flag, Object.keys(flags));
  return { kind: 'misunderstood', reply: texts.unknownFlag(name, clip(flag), { near, usage }) };
}

function clip(word: string): string {
  return word.replaceAll('`', '').slice(0, 40);
}
