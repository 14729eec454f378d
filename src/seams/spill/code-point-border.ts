/** A code point has at most three of them. */
const MAX_CONTINUATIONS = 3;

/** Where the last code point of `bytes` ends that is all there. Bytes that are no UTF-8 count as whole. */
export function lastWholeEnd(bytes: Uint8Array): number {
  const lead = bytes.length - 1 - continuationsAtEnd(bytes);
  const isWhole = lead < 0 || lead + lengthOf(bytes[lead]!) <= bytes.length;
  return isWhole ? bytes.length : lead;
}

/** Skips the rest of a code point whose beginning is missing. */
export function firstWholeStart(bytes: Uint8Array): number {
  let at = 0;
  while (at < Math.min(MAX_CONTINUATIONS, bytes.length) && isContinuation(bytes[at]!)) at += 1;
  return at;
}

function continuationsAtEnd(bytes: Uint8Array): number {
  let count = 0;
  while (count < Math.min(MAX_CONTINUATIONS, bytes.length) && isContinuation(bytes.at(-1 - count)!)) count += 1;
  return count;
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xc2 && lead <= 0xdf ? 2 : 1;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
