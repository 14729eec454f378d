import type { ContentBlock } from '../../harness/llm/types.ts';
import type { Intake } from '../../triggers/intake.ts';
import { noteData } from '../../triggers/note-text.ts';
import { dataBlock } from './data-block.ts';
import { hostNote } from './host-note.ts';

/** What a person says to a running turn, marked as such (PR57). Words that somebody else wrote into the comment are data. */
export function steerContent({ text, reading }: Extract<Intake, { kind: 'steer' }>): ContentBlock[] {
  const said = reading.byAuthor
    ? `## Said by ${reading.actor.login}, who may instruct you:\n\n${text}`
    : dataBlock({ kind: 'comment', text }).text;
  return [{ type: 'text', text: said }];
}

/** What happened meanwhile, in the host's words, and what it is about as data. */
export function noteContent({ text, reading }: Extract<Intake, { kind: 'note' }>): ContentBlock[] {
  const data = noteData(reading);
  const block = data === undefined ? '' : `\n${dataBlock({ kind: 'comment', text: data }).text}`;
  return [...hostNote(text).content, ...(block ? [{ type: 'text' as const, text: block }] : [])];
}
