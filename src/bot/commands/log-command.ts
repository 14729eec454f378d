import type { SessionEvent } from '../../harness/session/types.ts';
import { assembleBody, BODY_MAX } from '../../publish/markdown/body.ts';
import { inertTitle } from '../../publish/markdown/inert-title.ts';
import { foldSessionTitle } from '../../seams/session-title/fold-title.ts';
import { textsFor } from './command-texts.ts';
import { failure, success } from './human-command.ts';
import type { HumanCommand, HumanCommandHandler } from './human-command.ts';

/** Kept free for the mark of the comment. */
const MARK_CHARS = 300;

/**
 * The transcript of the session, folded: a comment takes no files. What is too long for one loses its middle, and says so.
 * All of it is on the session's page, where there is one.
 */
export const logCommand: HumanCommandHandler = async (command) => {
  const { session } = command.intake;
  const texts = textsFor(command);
  const { sessions, transcript, redact } = command.services;
  if (!(await sessions.has(session))) return failure(texts.noSession);
  const { events } = await sessions.inspect(session);
  const title = foldSessionTitle(events)?.title;
  const lead = [
    ...(title === undefined ? [] : [`**${inertTitle(redact(title))}**`]),
    texts.session(session, turnsIn(events)),
    pageLine(command),
  ];
  const parts = [
    { kind: 'markdown', text: lead.join('\n\n') } as const,
    { kind: 'folded', summary: texts.transcript, text: redact(transcript(events)), language: 'markdown' } as const,
  ];
  return success(assembleBody(parts, BODY_MAX - MARK_CHARS));
};

/** Those in which something was asked or happened: giving a name is none. */
function turnsIn(events: readonly SessionEvent[]): number {
  return events.filter((event) => event.type === 'turn/start' && event.data.trigger.kind !== 'session-title').length;
}

function pageLine(command: HumanCommand): string {
  const { session, reading } = command.intake;
  const texts = textsFor(command);
  const address = command.services.transcriptAddress?.(session, !reading.repo.private);
  if (!address) return texts.noServer(session);
  switch (address.kind) {
    case 'signed':
      return texts.signedPage(
        address.url,
        `${new Date(address.until).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
      );
    case 'page':
      return texts.page(address.url);
    case 'none':
      return texts.noPage[address.why];
  }
}
