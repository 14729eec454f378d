import { inertInline } from '../../publish/markdown/inert-line.ts';
import { textsFor } from './command-texts.ts';
import { failure, success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

const MAX_CHARS = 120;

/** Names the session for lists of sessions. */
export const titleCommand: HumanCommandHandler = async (command) => {
  const { intake } = command;
  const { records, redact } = command.services;
  const texts = textsFor(command);
  const title = redact(intake.reading.command.text.replaceAll(/\s+/g, ' ').trim());
  if (title === '') return failure(texts.writeTitle);
  if (title.length > MAX_CHARS) return failure(texts.longTitle(MAX_CHARS));
  await records.settings.set(intake.session, { title });
  return success(texts.titled(inertInline(title)));
};
