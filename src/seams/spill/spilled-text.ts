import { formatRetentionNotice, omittedCount } from './retention-notice.ts';
import type { SpillRef } from './spill-store.ts';
import { TextRetainer } from './text-retainer.ts';

/**
 * What stands for a text that was stored: its head and tail with the gap named, then where all of it lies. Never more
 * than `maxBytes`; `undefined` when not even the notice fits. Pure.
 */
export function spilledText(full: string, ref: SpillRef, maxBytes: number): string | undefined {
  const total = Buffer.byteLength(full);
  // Nothing kept is the longest that either can get.
  const bareNotice = noticeText(total, 0, maxBytes, ref);
  if (Buffer.byteLength(bareNotice) > maxBytes) return undefined;
  const frame = `\n${gapLine(total)}\n\n\n${bareNotice}`;
  const { head, tail } = previewOf(full, maxBytes - Buffer.byteLength(frame));
  const kept = Buffer.byteLength(head) + Buffer.byteLength(tail);
  if (kept === 0) return bareNotice;
  return `${endLine(head)}${gapLine(total - kept)}\n${tail}\n\n${noticeText(total, kept, maxBytes, ref)}`;
}

function noticeText(total: number, kept: number, limit: number, { locator, retrievalHint }: SpillRef): string {
  const omitted = omittedCount(total - kept);
  return formatRetentionNotice(
    { scope: 'tool result', strategy: 'headTail', unit: 'bytes', limit, kept, omitted },
    `Full formatted result stored at: ${locator}. ${retrievalHint}`,
  );
}

function gapLine(omittedBytes: number): string {
  return `[... ${omittedBytes} bytes omitted ...]`;
}

function previewOf(full: string, maxBytes: number): { head: string; tail: string } {
  const budget = Math.max(0, maxBytes);
  const headBytes = Math.ceil(budget / 2);
  const retainer = new TextRetainer({ kind: 'headTail', headBytes, tailBytes: budget - headBytes });
  retainer.push(full);
  const { text, gapAt = text.length } = retainer.finish();
  return { head: wholeLinesAtStart(text.slice(0, gapAt)), tail: wholeLinesAtEnd(text.slice(gapAt)) };
}

/** Ends after a line, unless that would cost more than half: one line may be most of a text. */
function wholeLinesAtStart(text: string): string {
  const border = text.lastIndexOf('\n') + 1;
  return border * 2 >= text.length ? text.slice(0, border) : text;
}

function wholeLinesAtEnd(text: string): string {
  const border = text.indexOf('\n') + 1;
  return border > 0 && border * 2 <= text.length ? text.slice(border) : text;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
