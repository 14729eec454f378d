/** Text that GitHub takes: no half of a character, no control signs but tab and line ends. Pure. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '');
}
