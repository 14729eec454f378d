import { createHash } from 'node:crypto';
import type { SessionEvent, SessionHeader } from '../harness/session/types.ts';
import { clipText } from './clip-text.ts';
import { transcriptOptions } from './render-transcript.ts';
import type { CheckedOptions, TranscriptOptions } from './render-transcript.ts';
import { transcriptParts } from './transcript-parts.ts';
import type { TranscriptPart } from './transcript-parts.ts';
import { TRANSCRIPT_STYLE } from './transcript-style.ts';

export interface TranscriptPage extends TranscriptOptions {
  readonly header: SessionHeader;
  readonly events: readonly SessionEvent[];
  readonly title?: string | undefined;
}

/** A long text is folded; the page has room for more of it than a terminal. */
const MAX_CHARS = 20_000;
const SHOWN_LINES = 12;

const STYLE_HASH = createHash('sha256').update(TRANSCRIPT_STYLE).digest('base64');
/** Nothing is fetched, run or sent, whatever a session said. */
export const TRANSCRIPT_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

/** A session as one HTML file that needs no other and in which everything that was said is only text. Pure. */
export function transcriptPage({ header, events, title, ...given }: TranscriptPage): string {
  const options = { ...transcriptOptions({ maxChars: MAX_CHARS, ...given }) };
  const name = escape(options.redact(title ?? header.id));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${TRANSCRIPT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${name}</title>
<style>${TRANSCRIPT_STYLE}</style>
</head>
<body>
<header>
<h1 dir="auto">${name}</h1>
<p>${[header.id, new Date(header.createdAt).toISOString(), ...(header.parentSession ? [`child of ${header.parentSession}`] : [])].map(escape).join(' · ')}</p>
</header>
<main>
${partsHtml(events, options) || '<p>This session has no events.</p>'}
</main>
</body>
</html>
`;
}

function partsHtml(events: readonly SessionEvent[], options: CheckedOptions): string {
  return transcriptParts(events)
    .map((part) => partHtml(part, options))
    .join('\n');
}

function partHtml(part: TranscriptPart, options: CheckedOptions): string {
  const { redact } = options;
  switch (part.kind) {
    case 'turn':
      return `<h2>Turn ${part.turn} <small>${escape(part.trigger)} · <time>${new Date(part.time).toISOString()}</time></small></h2>`;
    case 'request':
      return message('request', 'Request', redact(part.text));
    case 'steering':
      return message('request', 'Added while it ran', redact(part.text));
    case 'blocked':
      return message('failed', 'Blocked request', `${redact(part.text)}\n\nReason: ${redact(part.reason)}`);
    case 'context':
      return folded('context', 'Context', redact(part.text), options);
    case 'answer':
      return message('answer', 'Answer', redact(part.text));
    case 'call':
      return folded('call', part.name, readable(redact(part.arguments)), options);
    case 'result':
      return folded(
        part.isError ? 'result failed' : 'result',
        part.isError ? 'Failed' : 'Result',
        redact(part.text),
        options,
      );
    case 'child':
      return child(part, options);
    case 'end':
      return `<p class="end">Ended: ${escape(redact(part.outcome))}${tokens(part)}</p>`;
  }
}

function message(kind: string, label: string, text: string): string {
  return `<section class="${kind}"><h3>${escape(label)}</h3><div class="text" dir="auto">${escape(text)}</div></section>`;
}

/** Short texts are open from the start. */
function folded(kind: string, label: string, text: string, { maxChars }: CheckedOptions): string {
  const open = kind !== 'context' && text.split('\n').length <= SHOWN_LINES && text.length <= 2_000 ? ' open' : '';
  return `<details class="${kind}"${open}><summary>${escape(label)}</summary><pre dir="auto">${escape(clipText(text, maxChars))}</pre></details>`;
}

function child({ session, label }: Extract<TranscriptPart, { kind: 'child' }>, options: CheckedOptions): string {
  const events = options.children.get(session);
  const inner = events ? partsHtml(events, options) : '<p>Its log is not at hand.</p>';
  return `<details class="child"><summary>Child agent: ${escape(options.redact(label))} <small>${escape(session)}</small></summary>
${inner}
</details>`;
}

function tokens({ tokens: used }: Extract<TranscriptPart, { kind: 'end' }>): string {
  if (!used) return '';
  const count = (value: number) => value.toLocaleString('en-US');
  return ` · ${count(used.input)} tokens in (${count(used.cached)} from cache), ${count(used.output)} out`;
}

/** Arguments as a person would write them; text that is no JSON as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Signs that are not seen, or that change the order of others: shown by their number. Joiners make other signs whole. */
const UNSEEN = /(?!\n|\t|\u200c|\u200d)[\p{Cc}\p{Cf}]/gu;

function escape(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(UNSEEN, (sign) => `⟨U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`)
    .replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]!);
}
