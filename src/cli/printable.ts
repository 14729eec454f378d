/** C0 and C1 control characters and DEL, but for newline and tab: a terminal obeys them. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/** Text that a terminal shows and does not obey. Pure. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, '');
}

/** The same without secrets: they are looked for before, where a word ends, and after, where what parted them is gone. */
export function printableWithout(text: string, redact: (text: string) => string): string {
  return redact(printable(redact(text)));
}
