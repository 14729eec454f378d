/** Shortens text to about `maxChars` by leaving out its middle, and says how much is missing. Never splits a character. */
export function clipText(text: string, maxChars: number): string {
  const characters = Array.from(text);
  if (characters.length <= maxChars) return text;
  const headLength = Math.ceil(maxChars * 0.75);
  const head = characters.slice(0, headLength).join('');
  const tail = characters.slice(characters.length - (maxChars - headLength)).join('');
  return `${head}\n[… ${characters.length - maxChars} characters left out …]\n${tail}`;
}
