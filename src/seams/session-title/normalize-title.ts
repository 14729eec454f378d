/** An operating system command goes on to its terminator, or, without one, to the end of the text. */
const OSC = /(?:\u001b\]|\u009d)[\s\S]*?(?:\u0007|\u001b\\|\u009c|$)/g;
const CSI = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g;
const ESCAPE = /\u001b[ -/]*[0-~]?/g;
/** Zero-width signs and those that change the direction of writing. */
const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const CONTROL = /(?!\s)\p{Cc}/gu;

/**
 * Text that is safe and short enough for one line: without escape sequences, controls and unseen signs, with single
 * blanks, at most `maxBytes` of UTF-8. Undefined if nothing is left. Pure.
 */
export function normalizeSessionTitle(text: string, maxBytes: number): string | undefined {
  const visible = [OSC, CSI, ESCAPE, UNSEEN, CONTROL].reduce((rest, kind) => rest.replaceAll(kind, ''), text);
  const line = visible.toWellFormed().replaceAll(/\s+/gu, ' ').trim();
  return truncateTitleUtf8(line, maxBytes).trimEnd() || undefined;
}

/** As much of the beginning as fits, in whole code points. Pure. */
export function truncateTitleUtf8(text: string, maxBytes: number): string {
  let end = 0;
  let used = 0;
  for (const point of text) {
    used += Buffer.byteLength(point);
    if (used > maxBytes) break;
    end += point.length;
  }
  return text.slice(0, end);
}
