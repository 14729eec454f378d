import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBenchRoom } from './bench-room.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { startKeepingModel } from './keeping-model.ts';

const STEPS = 200;
/** What closes the list of messages and the body. */
const CLOSING_BYTES = ']}'.length;

/** B18: how much of a request the provider's cache knows from the request before it, in a turn and across a resume. */
export const prefixStability: Benchmark = {
  id: 'B18',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-bench-'));
    const model = await startKeepingModel(STEPS);
    try {
      await turn(folder, model.url, 'go');
      const inTurn = pairs(model.bodies).map(([older, newer]) => sharedBytes(older, newer) / older.length);
      const last = model.bodies.at(-1)!;
      await turn(folder, model.url, 'and now?');
      const next = model.bodies[model.bodies.indexOf(last) + 1]!;
      const resumed = sharedBytes(last, next) / (last.length - CLOSING_BYTES);
      return [
        row('request before it, worst of 200 steps', Math.min(...inTurn), 0.99),
        row('request before a resume', resumed, 1),
      ];
    } finally {
      model.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function turn(folder: string, url: string, prompt: string): Promise<void> {
  const { room, close } = await openBenchRoom(folder, url);
  const { agent } = room.handle;
  agent.send([{ type: 'text', text: prompt }]);
  // Notes of the host and of people come in between, as they do.
  agent.steer([{ type: 'text', text: 'mind the tests' }]);
  agent.inject([{ type: 'text', text: 'the branch moved' }], { source: { kind: 'plugin', plugin: 'bench' } });
  await agent.whenIdle();
  await close();
}

function pairs(bodies: readonly Buffer[]): [Buffer, Buffer][] {
  return bodies.slice(1).map((newer, index) => [bodies[index]!, newer]);
}

function sharedBytes(older: Buffer, newer: Buffer): number {
  let at = 0;
  while (at < older.length && older[at] === newer[at]) at += 1;
  return at;
}

function row(what: string, share: number, mark: number): Row {
  const figure = `${share.toFixed(5)} of it`;
  return {
    id: 'B18',
    what: `bytes kept of the ${what}`,
    figure,
    reference: '',
    ratio: share,
    mark: `≥ ${mark}`,
    met: share >= mark,
  };
}
