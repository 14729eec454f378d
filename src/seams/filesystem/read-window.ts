import { cutLine } from './numbered-lines.ts';

export interface FileTextLine {
  number: number;
  text: string;
}
/** `offset` is the number of the first line asked for; `truncatedByBytes` when the byte cap ended the window. */
export interface FileReadOutcome {
  offset: number;
  lines: FileTextLine[];
  totalLines: number;
  truncatedByBytes?: true;
}

export const MAX_LINES = 2000;
export const MAX_LINE_CHARS = 2000;
export const MAX_WINDOW_BYTES = 50 * 1024;

/**
 * Lines `offset` (1-based) to `offset + limit - 1` of a text that arrives in pieces. Memory stays bounded by the window,
 * however long a line is; the whole text is counted.
 */
export async function readWindow(
  chunks: AsyncIterable<string> | Iterable<string>,
  { offset, limit }: { offset: number; limit: number },
): Promise<FileReadOutcome> {
  const window = new Window(offset, limit);
  for await (const chunk of chunks) window.push(chunk);
  return window.finish();
}

class Window {
  readonly #offset: number;
  readonly #limit: number;
  readonly #lines: FileTextLine[] = [];
  #number = 1;
  #started = false;
  #kept = '';
  #length = 0;
  #endsInCr = false;
  #bytes = 0;
  #full = false;

  constructor(offset: number, limit: number) {
    this.#offset = offset;
    this.#limit = limit;
  }

  push(chunk: string): void {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
      this.#extend(chunk.slice(from, at));
      this.#endLine(true);
      from = at + 1;
    }
    if (from < chunk.length) this.#extend(chunk.slice(from));
  }

  finish(): FileReadOutcome {
    if (this.#started) this.#endLine(false);
    const totalLines = this.#number - 1;
    const outcome = { offset: this.#offset, lines: this.#lines, totalLines };
    return this.#full ? { ...outcome, truncatedByBytes: true } : outcome;
  }

  #extend(part: string): void {
    if (part === '') return;
    this.#started = true;
    this.#length += part.length;
    this.#endsInCr = part.endsWith('\r');
    if (this.#isWanted()) this.#kept += part.slice(0, Math.max(0, MAX_LINE_CHARS + 1 - this.#kept.length));
  }

  #endLine(terminated: boolean): void {
    const cr = terminated && this.#endsInCr ? 1 : 0;
    if (this.#isWanted()) this.#keep(this.#length - cr);
    this.#number += 1;
    this.#started = false;
    this.#kept = '';
    this.#length = 0;
    this.#endsInCr = false;
  }

  #keep(length: number): void {
    const text = cutLine(this.#kept.slice(0, length), MAX_LINE_CHARS, length);
    this.#bytes += Buffer.byteLength(text) + 1;
    if (this.#bytes > MAX_WINDOW_BYTES && this.#lines.length > 0) this.#full = true;
    else this.#lines.push({ number: this.#number, text });
  }

  #isWanted(): boolean {
    return !this.#full && this.#number >= this.#offset && this.#number < this.#offset + this.#limit;
  }
}
