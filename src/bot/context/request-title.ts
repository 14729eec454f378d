import { SessionTitleProviderId } from '../../seams/session-title/types.ts';
import type { SessionTitleProvider } from '../../seams/session-title/types.ts';
import type { JobRequest } from '../job/job.ts';
import type { Subject } from './read-subject.ts';

export interface RequestTitle {
  readonly text: string;
  readonly of: 'request' | 'subject';
}

const MAX_WORDS = 10;

/** What a session is called: the first words of what was asked, or, where nothing was, its subject's title. Pure. */
export function requestTitle({ reading }: JobRequest['turn'], { thread }: Pick<Subject, 'thread'>): RequestTitle {
  const asked = reading.kind === 'command' ? reading.command.text.trim() : '';
  if (asked === '') return { text: thread.title, of: 'subject' };
  return { text: asked.split(/\s+/).slice(0, MAX_WORDS).join(' '), of: 'request' };
}

/** Needs no model. */
export function requestTitleProvider({ text }: RequestTitle): SessionTitleProvider {
  return {
    id: SessionTitleProviderId('github-request'),
    automatic: 'first-message',
    generate: async ({ messages }) => ({ title: text, messageSeqs: messages.map(({ seq }) => seq) }),
  };
}
