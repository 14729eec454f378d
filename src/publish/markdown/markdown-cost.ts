/** What parsing costs, in microseconds or so on a slow machine; beyond the limit, a text is not worth a parser's time. */
export const COST_LIMIT = 100_000;

/** Deeper nesting says nothing to people, and a parser recurses into it. */
const DEEPEST = 20;
const WIDEST_INDENT = 80;
const PER_LINE = 35;
const PER_CONTAINER = 45;
const PER_SIGN = 8;
const PER_CHARACTER = 0.3;

const CONTAINERS = /^(?:[ \t>]|(?:[*+-]|\d{1,9}[.)])(?=[ \t]|$)|\[\^(?:\\.|[^\\\]\s])+\]:)*/;
const CONTAINER = />|[*+-]|\d{1,9}[.)]|\[\^/g;
const SIGN = /[!-/:-@[-`{-~]/g;
/** What a parser pairs, each with all before it in its paragraph: the cost grows with the square. */
const PAIRED = /[*_~\]]/g;
/** Where a paragraph is over at the latest. */
const BREAK = /^[ \t]*$|^ {0,3}[*+-][ \t]+\S/;

/** Estimates, in linear time, what each line adds to the cost of parsing the lines before it; `Infinity` where it nests too deep. */
export class MarkdownCost {
  #total = 0;
  #paired = 0;
  #deepest = 1;

  /** Adds a line without its end; returns the cost so far. */
  add(line: string): number {
    const lead = CONTAINERS.exec(line)?.[0] ?? '';
    const containers = count(lead, CONTAINER);
    this.#deepest = Math.max(this.#deepest, containers);
    if (containers > DEEPEST || (containers > 0 && columns(lead) > WIDEST_INDENT)) this.#total = Infinity;
    this.#total += PER_LINE * (1 + this.#deepest / 4) + PER_CONTAINER * containers;
    this.#total += PER_SIGN * count(line, SIGN) + PER_CHARACTER * line.length + this.#pairing(line);
    return this.#total;
  }

  /** The square of the paired signs in a paragraph, as they come. */
  #pairing(line: string): number {
    if (BREAK.test(line)) this.#paired = 0;
    const before = this.#paired;
    this.#paired += count(line, PAIRED);
    return (this.#paired ** 2 - before ** 2) / 20;
  }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function columns(lead: string): number {
  return lead.length + 3 * count(lead, /\t/g);
}
