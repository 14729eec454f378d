/** Lines `first` to `last`, 1-based, and how alike they are to what was looked for, 0 to 1. */
export interface SimilarRegion {
  first: number;
  last: number;
  score: number;
}

const ENOUGH = 0.6;
/** Beyond this many comparisons only equal lines count, so that a huge file costs no more than a large one. */
const MAX_COMPARISONS = 400_000;

/** The place most like `wanted`, by lines without their outer blanks; `undefined` below 60 %. */
export function similarRegion(lines: readonly string[], wanted: readonly string[]): SimilarRegion | undefined {
  const alike = lineSimilarity(lines.length * wanted.length <= MAX_COMPARISONS);
  let best: SimilarRegion | undefined;
  for (let at = 0; at + wanted.length <= Math.max(lines.length, wanted.length); at += 1) {
    const score = windowScore(lines, at, wanted, alike);
    if (score > (best?.score ?? 0)) {
      best = { first: at + 1, last: Math.min(at + wanted.length, lines.length), score };
    }
  }
  return best && best.score >= ENOUGH ? best : undefined;
}

type Similarity = (a: string, b: string) => number;

function windowScore(lines: readonly string[], at: number, wanted: readonly string[], alike: Similarity): number {
  let score = 0;
  let weight = 0;
  wanted.forEach((line, index) => {
    const length = line.trim().length + 1;
    weight += length;
    score += length * alike(lines[at + index] ?? '', line);
  });
  return score / weight;
}

function lineSimilarity(fine: boolean): Similarity {
  const pairsOf = cachedPairs();
  return (a, b) => {
    const left = a.trim();
    const right = b.trim();
    if (left === right) return 1;
    return fine ? overlap(pairsOf(left), pairsOf(right)) : 0;
  };
}

function cachedPairs(): (text: string) => Map<string, number> {
  const cache = new Map<string, Map<string, number>>();
  return (text) => {
    const known = cache.get(text);
    if (known) return known;
    const pairs = pairCounts(text);
    cache.set(text, pairs);
    return pairs;
  };
}

function pairCounts(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < Math.min(text.length, 500); at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Shared letter pairs against all of them. */
function overlap(a: Map<string, number>, b: Map<string, number>): number {
  const total = sum(a) + sum(b);
  if (total === 0) return 0;
  let shared = 0;
  for (const [pair, count] of a) shared += Math.min(count, b.get(pair) ?? 0);
  return (2 * shared) / total;
}

function sum(pairs: Map<string, number>): number {
  return pairs.values().reduce((total, count) => total + count, 0);
}
