import type { SessionEvent } from '../../harness/session/types.ts';
import { languageOf } from '../../publish/language.ts';
import type { Language } from '../../publish/language.ts';
import '../session/session-events.ts';

/** The language of the last words with which somebody began a turn of the session; undefined where nobody did. Pure. */
export function spokenLanguage(events: readonly SessionEvent[]): Language | undefined {
  const words = events.map(wordsOf).findLast((text) => SENTENCE.test(text));
  return words === undefined ? undefined : languageOf(undefined, words);
}

/** A single word may be a name or one of ours, such as `resume`. */
const SENTENCE = /\S\s+\S|\p{Script=Han}/u;

function wordsOf(event: SessionEvent): string {
  if (event.type !== 'turn/start') return '';
  const { trigger } = event.data;
  if (trigger.kind === 'github-command') return trigger.command.text;
  return trigger.kind === 'github-dispatch' ? trigger.prompt : '';
}
