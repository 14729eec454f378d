import type { Reading } from './reading.ts';

const MAX_CHARS = 4_000;

/** What a turn that runs is told of something that happened meanwhile, in the host's words; what others wrote stays out of them. */
export function noteText({ what, text, subject, actor }: Extract<Reading, { kind: 'note' }>): string {
  const thing = subject.kind === 'pull' ? 'pull request' : 'issue';
  switch (what) {
    case 'push':
      return `${actor.login} pushed to this ${thing} meanwhile: its head moved from ${text.split(' ').join(' to ')}.`;
    case 'check':
      return `A check of this ${thing} finished meanwhile.`;
    case 'label':
      return `${actor.login} put a label on this ${thing} meanwhile.`;
    case 'body-edited':
      return `${actor.login} edited the text of this ${thing} meanwhile.`;
  }
}

/** What the note is about, as it stands there; told as data. */
export function noteData({ what, text }: Extract<Reading, { kind: 'note' }>): string | undefined {
  return what === 'push' ? undefined : text.slice(0, MAX_CHARS);
}
