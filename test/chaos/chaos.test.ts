import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from './fault-points.ts';
import { readPoints, World } from './world.ts';

const isLong = process.env.DSH_LONG_TESTS !== undefined;
/** Of a run in the short form: the same ones every day of the year, others the next. */
const SHORT = 2;

let undisturbed: unknown;
let points: string[];

beforeAll(async () => {
  const world = await World.open();
  const record = join(world.root, 'points');
  const worker = await world.start(undefined, { record });
  await world.ask(worker);
  await world.finish(worker);
  points = [...new Set(await readPoints(record))];
  undisturbed = await world.finalState();
  await world.close();
}, 60_000);

/** The work with one fault, and what came of it once another process had taken it up. */
async function survive(fault: Fault): Promise<{ state: unknown; errors: string; left: string[] }> {
  const world = await World.open();
  try {
    const first = await world.start(fault);
    await world.ask(first);
    await world.finish(first);
    if (first.child.signalCode === 'SIGKILL') await world.finish(await world.start());
    return { state: await world.finalState(), errors: world.errors, left: await world.left() };
  } finally {
    await world.close();
  }
}

function sample(all: readonly string[], size: number): string[] {
  let seed = Math.floor(Date.now() / 86_400_000) % 2_147_483_647;
  const next = () => (seed = (seed * 48_271) % 2_147_483_647);
  return Array.from({ length: size }, () => all[next() % all.length]!);
}

describe('bot-hosts', () => {
  it(
    'H2 a worker killed at any point of a fix, and the next one: what GitHub shows is what it would have been',
    async () => {
      expect(points.length).toBeGreaterThanOrEqual(80);
      const failures: unknown[] = [];
      for (const at of isLong ? points : sample(points, SHORT)) {
        const { state, errors, left } = await survive({ at, kind: 'kill' });
        if (isDeepStrictEqual({ state, left }, { state: undisturbed, left: [] })) continue;
        failures.push({ at, left, errors, state });
      }
      expect(failures).toEqual([]);
    },
    isLong ? 3_600_000 : 90_000,
  );
});
