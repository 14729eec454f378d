import type { QuotedMessage } from './project-surface.ts';
import { SessionReferenceError } from './session-reference-error.ts';

export interface FittedQuote {
  readonly messages: readonly QuotedMessage[];
  /** How many of the oldest were left out. */
  readonly dropped: number;
  readonly shortened: number;
}

/**
 * Makes a quote fit: first the oldest messages go, but no checkpoint and never the newest; then the longest lose their
 * middle. `sizeOf` is the size in bytes of the whole quote with these messages.
 * @throws SessionReferenceError `SESSION_REFERENCE_BUDGET_EXCEEDED` where not even empty texts would fit
 */
export function fitQuote(
  given: readonly QuotedMessage[],
  maxBytes: number,
  sizeOf: (messages: readonly QuotedMessage[]) => number,
): FittedQuote {
  const kept = [...given];
  for (let at = oldestSpare(kept); at >= 0 && sizeOf(kept) > maxBytes; at = oldestSpare(kept)) kept.splice(at, 1);
  const whole = [...kept];
  for (let excess = sizeOf(kept) - maxBytes; excess > 0; excess = sizeOf(kept) - maxBytes) {
    const longest = longestOf(kept);
    const message = kept[longest];
    const room = message ? byteLength(message.text) - excess : -1;
    if (!message || !shorten(kept, longest, whole[longest]!, room)) throw exceeded(maxBytes);
  }
  const shortened = kept.filter((message, index) => message !== whole[index]).length;
  return { messages: kept, dropped: given.length - kept.length, shortened };
}

function oldestSpare(messages: readonly QuotedMessage[]): number {
  return messages.findIndex(({ role }, index) => role !== 'checkpoint' && index < messages.length - 1);
}

function longestOf(messages: readonly QuotedMessage[]): number {
  const sizes = messages.map(({ text }) => byteLength(text));
  return sizes.indexOf(Math.max(...sizes));
}

/** Always gets shorter by at least one byte; false where it cannot. */
function shorten(kept: QuotedMessage[], at: number, whole: QuotedMessage, room: number): boolean {
  const before = byteLength(kept[at]!.text);
  for (let bytes = Math.max(0, Math.min(room, before - 1)); ; bytes = Math.floor(bytes / 2)) {
    const text = withoutMiddle(whole.text, bytes);
    if (byteLength(text) < before) {
      kept[at] = { ...whole, text };
      return true;
    }
    if (bytes === 0) return false;
  }
}

/** At most about `bytes` of the text, from both ends, and a notice of exactly how much is missing. */
function withoutMiddle(text: string, bytes: number): string {
  const noticeBytes = 40;
  const room = Math.max(0, bytes - noticeBytes);
  const head = headOf(text, Math.ceil(room / 2));
  const tail = tailOf(text.slice(head.length), Math.floor(room / 2));
  const omitted = byteLength(text) - byteLength(head) - byteLength(tail);
  return `${head}[… ${omitted} bytes omitted …]${tail}`;
}

function headOf(text: string, bytes: number): string {
  let end = 0;
  let used = 0;
  for (const point of text) {
    used += byteLength(point);
    if (used > bytes) break;
    end += point.length;
  }
  return text.slice(0, end);
}

function tailOf(text: string, bytes: number): string {
  const start = Math.max(0, text.length - bytes);
  const points = [...text.slice(start)];
  let used = points.reduce((sum, point) => sum + byteLength(point), 0);
  while (used > bytes || (points.length > 0 && !points[0]!.isWellFormed())) used -= byteLength(points.shift()!);
  return points.join('');
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

function exceeded(maxBytes: number): SessionReferenceError {
  const message = `a quoted session does not fit into ${maxBytes} bytes, however much of it is left out`;
  return new SessionReferenceError(message, 'SESSION_REFERENCE_BUDGET_EXCEEDED');
}
