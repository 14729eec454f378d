/** A code block whose fence is longer than any run of backticks inside. */
export function fenced(text: string, language = ''): string {
  const fence = longerTicks(text).padEnd(3, '`');
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** One backtick more than the longest run of them. */
export function longerTicks(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  return '`'.repeat(longest + 1);
}
