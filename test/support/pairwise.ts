export type Factors = Readonly<Record<string, readonly string[]>>;
export type Row = Readonly<Record<string, string>>;

/**
 * Rows in which each pair of values of two factors stands together at least once, unless no allowed row has it.
 * Greedy, and the same for the same factors. Pure.
 */
export function pairwise(factors: Factors, isAllowed: (row: Row) => boolean = () => true): Row[] {
  const all = productOf(factors).filter(isAllowed);
  const open = new Set(all.flatMap(pairsOf));
  const rows: Row[] = [];
  while (open.size > 0) {
    const gain = (row: Row) => pairsOf(row).filter((pair) => open.has(pair)).length;
    const best = all.reduce((one, other) => (gain(other) > gain(one) ? other : one));
    for (const pair of pairsOf(best)) open.delete(pair);
    rows.push(best);
  }
  return rows;
}

export function pairsOf(row: Row): string[] {
  const entries = Object.entries(row).map(([name, value]) => `${name}=${value}`);
  return entries.flatMap((one, at) => entries.slice(at + 1).map((other) => `${one} ${other}`));
}

export function productOf(factors: Factors): Row[] {
  return Object.entries(factors).reduce<Row[]>(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
}
