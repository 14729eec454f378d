const MAX_CODE_POINTS = 240;
/** Of those, what stands before the place at most. */
const BEFORE = 80;

/** Plain text on one line around the place from `start` to `end` (UTF-16 offsets). Pure. */
export function searchSnippet(text: string, start: number, end: number): string {
  const before = lastOf(folded(text.slice(Math.max(0, start - BEFORE * 4), start)), BEFORE - 1);
  const cutBefore = before.isCut || start > BEFORE * 4;
  const room = MAX_CODE_POINTS - [...before.text].length - (cutBefore ? 1 : 0);
  const after = firstOf(folded(text.slice(start, end + MAX_CODE_POINTS * 4)).trimEnd(), room, end, text);
  return `${cutBefore ? '…' : ''}${before.text}${after}`.trim();
}

function folded(text: string): string {
  return text.toWellFormed().replaceAll(/\s+/gu, ' ');
}

function lastOf(text: string, count: number): { text: string; isCut: boolean } {
  const points = [...text.trimStart()];
  return { text: points.slice(-count).join(''), isCut: points.length > count };
}

function firstOf(text: string, room: number, end: number, whole: string): string {
  const points = [...text];
  const goesOn = points.length > room || end + MAX_CODE_POINTS * 4 < whole.length;
  return goesOn ? `${points.slice(0, room - 1).join('')}…` : text;
}
