/** One measured figure beside its reference of the same run. Marks are ratios: machines differ and are shared. */
export interface Row {
  readonly id: string;
  readonly what: string;
  readonly figure: string;
  readonly reference: string;
  readonly ratio: number | undefined;
  readonly mark: string;
  readonly met: boolean;
}

export interface Benchmark {
  readonly id: string;
  run(rounds: number): Promise<Row[]>;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;
}

/** A row whose mark is "at most so many times the reference", or "at least" where more is better. */
export function ratioRow(
  id: string,
  what: string,
  { figure, reference, unit }: { figure: number; reference: number; unit: string },
  mark: { atMost: number } | { atLeast: number },
): Row {
  const ratio = figure / reference;
  const show = (value: number) => `${value.toPrecision(4)} ${unit}`;
  const met = 'atMost' in mark ? ratio <= mark.atMost : ratio >= mark.atLeast;
  const text = 'atMost' in mark ? `≤ ${mark.atMost} ×` : `≥ ${mark.atLeast} ×`;
  return { id, what, figure: show(figure), reference: show(reference), ratio, mark: text, met };
}

/** Runs both sides in turn, so that a busy moment of the machine hits both. */
export async function takeTurns(
  rounds: number,
  one: () => Promise<number>,
  other: () => Promise<number>,
): Promise<[number, number]> {
  const [a, b]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    a.push(await one());
    b.push(await other());
  }
  return [median(a), median(b)];
}

/** The environment of a measured process: extra certificates cost each Node 30 ms to read. */
export function cleanEnv(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  return env;
}
