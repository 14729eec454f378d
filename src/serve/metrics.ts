import type { Handled } from '../handle-event.ts';
import type { InputUse } from '../seams/token-meter/cached-input.ts';

type Labels = Readonly<Record<string, string>>;

/** What is the case at the moment of a question, such as how many turns run. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  read(): number | Promise<number>;
}

/** Upper bounds of durations in seconds, from a quick answer to an hour's work. */
const SECONDS = [1, 5, 15, 60, 300, 900, 3_600];

/** What a process counts, in Prometheus' text format. No label holds a name of a repository or of a person. */
export class Metrics {
  readonly #gauges: readonly Gauge[];
  readonly #counters = new Map<string, { help: string; values: Map<string, number> }>();
  readonly #histograms = new Map<string, { help: string; buckets: number[]; sum: number; count: number }>();

  constructor(gauges: readonly Gauge[] = []) {
    this.#gauges = gauges;
  }

  add(name: string, help: string, labels: Labels = {}, amount = 1): void {
    const counter = this.#counters.get(name) ?? { help, values: new Map<string, number>() };
    const key = labelsText(labels);
    counter.values.set(key, (counter.values.get(key) ?? 0) + amount);
    this.#counters.set(name, counter);
  }

  observe(name: string, help: string, seconds: number): void {
    const histogram = this.#histograms.get(name) ?? { help, buckets: SECONDS.map(() => 0), sum: 0, count: 0 };
    SECONDS.forEach((bound, index) => (histogram.buckets[index]! += seconds <= bound ? 1 : 0));
    histogram.sum += seconds;
    histogram.count += 1;
    this.#histograms.set(name, histogram);
  }

  /** One event of GitHub and what became of it. */
  handled(event: string, results: readonly Handled[], seconds: number): void {
    this.add('dsh_events_total', 'Events that were handled.', { event });
    this.observe('dsh_event_seconds', 'From the start of an event to the end of all it asked for.', seconds);
    for (const { status, outcome } of results) {
      this.add('dsh_requests_total', 'What events asked for, by what it came to.', { status });
      if (!outcome) continue;
      this.add('dsh_tokens_total', 'Tokens that turns used.', {}, outcome.tokens);
      this.add(
        'dsh_cost_dollars_total',
        'US dollars that turns cost, where the price is known.',
        {},
        outcome.cost ?? 0,
      );
      const { promptVersion: version } = outcome;
      if (version !== undefined)
        this.add('dsh_turns_total', 'Turns, by the version of what the model was told.', { version });
      if (outcome.input) this.#sent(outcome.input);
      if (outcome.problem) this.add('dsh_problems_total', 'Problems of turns.', { code: outcome.problem.code });
    }
  }

  #sent({ cached, uncached, missed }: InputUse): void {
    const help = 'Input tokens of turns, by whether the provider had them in its cache.';
    this.add('dsh_input_tokens_total', help, { cached: 'true' }, cached);
    this.add('dsh_input_tokens_total', help, { cached: 'false' }, uncached);
    this.add(
      'dsh_cache_misses_total',
      'Steps that paid again for what had been sent before, though nothing in the log explains it.',
      {},
      missed,
    );
  }

  /** A gauge that cannot be read is left out. */
  async render(): Promise<string> {
    const gauges = await Promise.all(this.#gauges.map(gaugeLines));
    const counters = [...this.#counters].flatMap(([name, { help, values }]) => [
      ...head(name, help, 'counter'),
      ...[...values].map(([labels, value]) => `${name}${labels} ${value}`),
    ]);
    const histograms = [...this.#histograms].flatMap(([name, { help, buckets, sum, count }]) => [
      ...head(name, help, 'histogram'),
      ...SECONDS.map((bound, index) => `${name}_bucket{le="${bound}"} ${buckets[index]}`),
      ...[`${name}_bucket{le="+Inf"} ${count}`, `${name}_sum ${sum}`, `${name}_count ${count}`],
    ]);
    return `${[...gauges.flat(), ...counters, ...histograms].join('\n')}\n`;
  }
}

/** The content type of `render`. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

async function gaugeLines({ name, help, read }: Gauge): Promise<string[]> {
  try {
    return [...head(name, help, 'gauge'), `${name} ${await read()}`];
  } catch {
    return [];
  }
}

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
