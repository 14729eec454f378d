import type { CollectedOutput } from './executor.ts';

/** `cut` when the reader does not get all of it. */
export interface FittedOutput {
  text: string;
  cut: boolean;
}

/** Head and tail of one stream in at most about `maxBytes`, cut on line borders where there are any, with the gap named. */
export function fitOutput(output: CollectedOutput, maxBytes: number): FittedOutput {
  if (!output.truncated && byteLength(output.text) <= maxBytes) return { text: output.text, cut: false };

  const head = headLines(headSource(output), Math.floor(maxBytes / 2));
  const tail = tailLines(output.text, maxBytes - byteLength(head));
  return { text: `${head}${gapLine(output, head, tail)}\n${tail}`, cut: true };
}

/** How much of `total` each of two streams may take: what one does not need, the other gets. */
export function shareBudget(first: number, second: number, total: number): [number, number] {
  const half = Math.floor(total / 2);
  if (first + second <= total) return [first, second];
  if (first <= half) return [first, total - first];
  if (second <= half) return [total - second, second];
  return [half, half];
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

function headSource({ head, truncated, text }: CollectedOutput): string {
  return head ?? (truncated ? '' : text);
}

function gapLine({ totalBytes, truncated, text }: CollectedOutput, head: string, tail: string): string {
  const total = totalBytes ?? (truncated ? undefined : byteLength(text));
  if (total === undefined) return '[... earlier output omitted ...]';
  return `[... ${total - byteLength(head) - byteLength(tail)} bytes omitted ...]`;
}

function headLines(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return endLine(text);
  const kept = Buffer.from(text).subarray(0, maxBytes);
  const border = kept.lastIndexOf('\n') + 1;
  return border > 0 ? kept.toString('utf8', 0, border) : endLine(kept.toString('utf8', 0, codePointStart(kept)));
}

function tailLines(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const from = bytes.length - maxBytes;
  const border = bytes.indexOf('\n', from - 1) + 1;
  if (border > 0 && border < bytes.length) return bytes.toString('utf8', border);
  return bytes.toString('utf8', nextCodePoint(bytes, from));
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** Where a code point that the end of `bytes` may have split begins. */
function codePointStart(bytes: Buffer): number {
  let at = bytes.length;
  while (at > 0 && isContinuation(bytes[at - 1])) at -= 1;
  const lead = bytes[at - 1] ?? 0;
  const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - at + 1 === wanted ? bytes.length : Math.max(0, at - 1);
}

function nextCodePoint(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isContinuation(bytes[at])) at += 1;
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
