/** Bounds of the first message, in characters (PR17 counts tokens of four characters). */
export const MAX_BODY_CHARS = 32_000;
export const MAX_THREAD_CHARS = 64_000;
export const MAX_HUNK_CHARS = 4_000;
export const MAX_INSTRUCTION_CHARS = 32_768;
export const MAX_TREE_CHARS = 4_000;
const MAX_DIFF_CHARS = 200_000;

/** Of a diff: a quarter of the window, which is in tokens of four characters, and never more than is well read. */
export function maxDiffChars(workingWindow: number): number {
  return Math.min(MAX_DIFF_CHARS, workingWindow);
}

/** Keeps the head and says what is missing and where it stands. */
export function keepHead(text: string, max: number, where: string): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
  return `${head}\n[… ${text.length - head.length} more characters: ${where}]`;
}

/** Keeps the end, where a diff hunk has the lines that a comment is about. */
export function keepTail(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = text.slice(-max).replace(/^[\udc00-\udfff]/, '');
  return `[… ${text.length - tail.length} characters before this]\n${tail}`;
}
