import { COMMANDS } from './command-table.ts';
import type { CommandName } from './command-table.ts';
import { machineAuthor } from './machine-author.ts';
import { parseCommands } from './parse-commands.ts';
import type { Payload } from './payload.ts';
import type { CommentRef, IgnoreReason, Reading, SubjectRef } from './reading.ts';
import { ignore, toActor, toRepo } from './reading-parts.ts';
import type { TriggerConfig } from './trigger-config.ts';

interface Said {
  readonly body?: string | null;
  readonly user: { readonly id: number; readonly login: string };
  readonly author_association: string;
  readonly performed_via_github_app?: { readonly id: number } | null;
}
export interface TextPayload {
  readonly action: string;
  readonly sender: Payload<'issues'>['sender'];
  readonly repository: Payload<'issues'>['repository'];
  readonly changes?: { readonly body?: { readonly from?: string | null } };
}
export interface TextOrigin {
  readonly delivery: string;
  readonly subject: SubjectRef;
  readonly comment: CommentRef;
  readonly cause: string;
  readonly said: Said;
}

/** Reads what was said in a comment, a review or an opening: its commands in order, or why it is not ours. */
export function readText(payload: TextPayload, origin: TextOrigin, config: TriggerConfig): Reading[] {
  const silent = silence(payload, origin, config);
  if (silent) return [ignore(silent)];
  const { delivery, subject, comment, cause, said } = origin;
  const actor = toActor(payload.sender, said.author_association);
  const byAuthor = payload.sender.id === said.user.id;
  const common = { repo: toRepo(payload.repository), subject, actor, cause, delivery, comment };
  const commands = parseCommands(said.body, { aliases: config.aliases, appSlug: config.self.appSlug });
  if (commands.length === 0) return [ignore('no-command')];
  const starting = commands.find((command) => command.kind === 'command' && COMMANDS[command.name].makesTurn);
  return commands.map((command, nth): Reading => {
    if (command.kind === 'misunderstood') return { kind: 'misunderstood', reply: command.reply, nth, ...common };
    const isSkipped = COMMANDS[command.name].makesTurn && command !== starting;
    if (isSkipped) return { kind: 'misunderstood', reply: skippedText(command.name), nth, ...common };
    return { kind: 'command', command, byAuthor, nth, ...common };
  });
}

function skippedText(name: CommandName): string {
  return `\`/dsh ${name}\` was skipped: a comment starts at most one turn, and an earlier line of it does.`;
}

/** Why an event with text is not ours to act on (T5, T7), or undefined. */
function silence(payload: TextPayload, origin: TextOrigin, config: TriggerConfig): IgnoreReason | undefined {
  const { self } = config;
  if (payload.action !== 'created' && payload.action !== 'edited') return 'event-not-used';
  const byMachine = machineAuthor(payload.sender, config);
  if (byMachine) return byMachine;
  if (self.appId !== undefined && origin.said.performed_via_github_app?.id === self.appId) return 'own-author';
  if (origin.said.body?.includes('<!-- dsh:')) return 'marker';
  if (!ADDRESSED.test(origin.said.body ?? '')) return 'nothing-addressed';
  const earlier = payload.changes?.body?.from;
  const addresses = { aliases: config.aliases, appSlug: self.appSlug };
  if (payload.action === 'edited' && (earlier == null || parseCommands(earlier, addresses).length > 0))
    return 'edited-command';
  return undefined;
}

/**
 * A line whose first slash or mention has no letter before it: whatever the aliases are, only such a line can be one.
 * No line end is in the class, so that each character is looked at once.
 */
const ADDRESSED = /^[^\p{L}/@\n\r\u2028\u2029]*[/@]/mu;
