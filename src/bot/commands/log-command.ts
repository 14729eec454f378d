import { assembleBody, BODY_MAX } from '../../publish/markdown/body.ts';
import { textsFor } from './command-texts.ts';
import { failure, success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** Kept free for the mark of the comment. */
const MARK_CHARS = 300;

/** The transcript of the session, folded: a comment takes no files. What is too long for one loses its middle, and says so. */
export const logCommand: HumanCommandHandler = async (command) => {
  const { session } = command.intake;
  const texts = textsFor(command);
  const { sessions, transcript, redact } = command.services;
  if (!(await sessions.has(session))) return failure(texts.noSession);
  const { events } = await sessions.inspect(session);
  const turns = events.filter(({ type }) => type === 'turn/start').length;
  const text = redact(transcript(events));
  const parts = [
    { kind: 'markdown', text: texts.session(session, turns) } as const,
    { kind: 'folded', summary: texts.transcript, text, language: 'markdown' } as const,
  ];
  return success(assembleBody(parts, BODY_MAX - MARK_CHARS));
};
