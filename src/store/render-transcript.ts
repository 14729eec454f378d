import type { SessionEvent, SessionId } from '../harness/session/types.ts';
import { clipText } from './clip-text.ts';
import { transcriptParts } from './transcript-parts.ts';
import type { TranscriptPart } from './transcript-parts.ts';

export interface TranscriptOptions {
  /** A longer tool result or argument text loses its middle. */
  maxChars?: number;
  /** Takes secrets out of each text, before anything else is done to it. */
  redact?: (text: string) => string;
  /** The logs of child agents, to be shown where they were started. */
  children?: ReadonlyMap<SessionId, readonly SessionEvent[]>;
}

export type CheckedOptions = Required<TranscriptOptions>;

export function transcriptOptions({
  maxChars = 2_000,
  redact = (text) => text,
  children = new Map(),
}: TranscriptOptions = {}): CheckedOptions {
  return { maxChars, redact, children };
}

/**
 * A session as Markdown that reads well unrendered, too: per turn what was asked, said, run and how it ended. Shows
 * what was said when it was said: later condensed history changes nothing here. Pure.
 */
export function renderTranscript(events: readonly SessionEvent[], given: TranscriptOptions = {}): string {
  const options = transcriptOptions(given);
  const parts = transcriptParts(events).map((part) => renderPart(part, options));
  return parts.length === 0 ? 'This session has no events.\n' : `${parts.join('\n\n')}\n`;
}

function renderPart(part: TranscriptPart, { maxChars, redact, children }: CheckedOptions): string {
  switch (part.kind) {
    case 'turn':
      return `## Turn ${part.turn} · ${part.trigger} · ${new Date(part.time).toISOString()}`;
    case 'request':
      return labelled('Request', redact(part.text));
    case 'steering':
      return labelled('Added while it ran', redact(part.text));
    case 'context':
      return labelled('Context', clipText(redact(part.text), maxChars));
    case 'blocked':
      return labelled('Blocked request', `${redact(part.text)}\n\nReason: ${redact(part.reason)}`);
    case 'answer':
      return redact(part.text);
    case 'call':
      return `**${part.name}**\n${fenced(clipText(redact(part.arguments), maxChars))}`;
    case 'result':
      return `${part.isError ? 'Failed' : 'Result'}:\n${fenced(clipText(redact(part.text), maxChars))}`;
    case 'child':
      return child(part, { maxChars, redact, children });
    case 'end':
      return `_Ended: ${redact(part.outcome)}_${tokens(part)}`;
  }
}

function labelled(label: string, text: string): string {
  return `**${label}:** ${text}`;
}

/** What a child did, quoted below the call that started it. */
function child({ session, label }: Extract<TranscriptPart, { kind: 'child' }>, options: CheckedOptions): string {
  const events = options.children.get(session);
  const heading = labelled('Child agent', `${options.redact(label)} (${session})`);
  if (!events) return heading;
  const inner = renderTranscript(events, options).trimEnd().replaceAll(/^##/gm, '###');
  return `${heading}\n\n${inner.replaceAll(/^/gm, '> ')}`;
}

/** A fence longer than any run of backticks inside cannot be closed from inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function tokens({ tokens: used }: Extract<TranscriptPart, { kind: 'end' }>): string {
  return used ? `\\\nTokens: ${used.input} in (${used.cached} from cache), ${used.output} out` : '';
}
