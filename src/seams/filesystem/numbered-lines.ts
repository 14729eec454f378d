const MAX_CHARS = 300;

/** Lines `first` to `last` (1-based) as `N: text`, long ones cut with a mark. */
export function numberedLines(lines: readonly string[], first: number, last: number): string[] {
  return lines.slice(first - 1, last).map((line, index) => `${first + index}: ${cutLine(line, MAX_CHARS)}`);
}

/** Long lines keep their start; the mark says how much of `length` characters is missing. */
export function cutLine(line: string, maxChars: number, length = line.length): string {
  if (length <= maxChars) return line;
  const end = isHighSurrogate(line, maxChars - 1) ? maxChars - 1 : maxChars;
  return `${line.slice(0, end)} [... ${length - end} more characters]`;
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}
