import { machineAuthor } from './machine-author.ts';
import { makesTurn } from './makes-turn.ts';
import { parseCommands } from './parse-commands.ts';
import type { Payload } from './payload.ts';
import type { CommentRef, IgnoreReason, Reading, SubjectRef } from './reading.ts';
import { ignore, saidAt, toActor, toRepo } from './reading-parts.ts';
import { replyTextsFor } from './reply-texts.ts';
import { splitQuotes } from './split-quotes.ts';
import type { TriggerConfig } from './trigger-config.ts';
import type { SessionId } from '../harness/session/types.ts';

interface Said {
  readonly body?: string | null;
  readonly user: { readonly id: number; readonly login: string };
  readonly author_association: string;
  readonly performed_via_github_app?: { readonly id: number } | null;
  readonly created_at?: string | null | undefined;
  readonly updated_at?: string | null | undefined;
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
  readonly marked: { readonly markedSession?: SessionId };
}

/** Reads what was said in a comment, a review or an opening: its commands in order, a remark, or why it is not ours. */
export function readText(payload: TextPayload, origin: TextOrigin, config: TriggerConfig): Reading[] {
  const silent = silence(payload, origin, config);
  if (silent) return [ignore(silent)];
  const { delivery, subject, comment, cause, said, marked } = origin;
  const actor = toActor(payload.sender, said.author_association);
  const byAuthor = payload.sender.id === said.user.id;
  const repo = toRepo(payload.repository);
  const common = { repo, subject, actor, cause, delivery, comment, ...saidAt(said), ...marked };
  const body = said.body ?? '';
  const mayBeMore = ADDRESSED.test(body);
  const texts = replyTextsFor(config.language, body);
  const commands = mayBeMore ? parseCommands(body, addressesOf(config), texts) : [];
  if (commands.length === 0) return [{ kind: 'remark', ...splitQuotes(body), byAuthor, mayBeMore, ...common }];
  if (wasReadBefore(payload, config)) return [ignore('edited-command')];
  const starting = commands.find((command) => command.kind === 'command' && makesTurn(command));
  return commands.map((command, nth): Reading => {
    if (command.kind === 'misunderstood') return { ...command, nth, ...common };
    const isSkipped = makesTurn(command) && command !== starting;
    if (isSkipped) return { kind: 'misunderstood', reply: texts.skipped(command.name), nth, ...common };
    return { kind: 'command', command, byAuthor, nth, ...common };
  });
}

/** Why an event with text is not ours to act on (T7), or undefined. */
function silence(payload: TextPayload, { said }: TextOrigin, config: TriggerConfig): IgnoreReason | undefined {
  const { self } = config;
  if (payload.action !== 'created' && payload.action !== 'edited') return 'event-not-used';
  const byMachine = machineAuthor(payload.sender, config);
  if (byMachine) return byMachine;
  if (self.appId !== undefined && said.performed_via_github_app?.id === self.appId) return 'own-author';
  if (said.body?.includes('<!-- dsh:')) return 'marker';
  return /\S/.test(said.body ?? '') ? undefined : 'nothing-addressed';
}

/** An edit is read where the earlier body had no command (T5). */
function wasReadBefore({ action, changes }: TextPayload, config: TriggerConfig): boolean {
  if (action !== 'edited') return false;
  const earlier = changes?.body?.from;
  return earlier == null || parseCommands(earlier, addressesOf(config)).length > 0;
}

function addressesOf({ aliases, self }: TriggerConfig) {
  return { aliases, ...(self.appSlug !== undefined && { appSlug: self.appSlug }) };
}

/**
 * A line whose first slash or mention has no letter before it: whatever the aliases are, only such a line can be one.
 * No line end is in the class, so that each character is looked at once.
 */
const ADDRESSED = /^[^\p{L}/@\n\r\u2028\u2029]*[/@]/mu;
