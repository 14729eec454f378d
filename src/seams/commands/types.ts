import type { Agent } from '../../harness/agent/types.ts';

/** What stands in place of the text a person is to write. */
export interface CommandInputDescriptor {
  readonly hint: string;
}
export interface CommandInvocation {
  /** The very agent that receives it. */
  readonly agent: Agent;
  /** Everything after the name, its separator included. */
  readonly rawInput: string;
  /** Of the request that dispatched it, not of a turn. */
  readonly signal: AbortSignal;
}
export type CommandResult =
  { readonly kind: 'success'; readonly text?: string } | { readonly kind: 'error'; readonly text: string };
export interface CommandDefinition {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly input?: CommandInputDescriptor;
  readonly handler: (invocation: CommandInvocation) => CommandResult | Promise<CommandResult>;
}
export interface CommandDescriptor {
  readonly name: string;
  readonly description: string;
  readonly input?: CommandInputDescriptor;
}
export interface ParsedCommand {
  readonly name: string;
  readonly rawInput: string;
}
