/** Throws `TypeError` on text that a database would store as another one: lone surrogates and NUL. JSON text has neither. */
export function assertStorableText(text: string): void {
  if (!text.isWellFormed() || text.includes('\0')) throw new TypeError(`cannot be stored: ${JSON.stringify(text)}`);
}
