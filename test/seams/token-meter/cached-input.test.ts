import { describe, expect, it } from '@jest/globals';
import { judgeCache } from '../../../src/cli/doctor/check-cache.ts';
import { inputUse, missedCache, stepInputs } from '../../../src/seams/token-meter/cached-input.ts';
import { ROUTE, text } from '../../harness/session/session-fixture.ts';
import { MeteredLog } from './metered-log.ts';

const usage = (inputTokens: number, cacheReadTokens?: number) => ({
  ...{ inputTokens, outputTokens: 1 },
  ...(cacheReadTokens !== undefined && { cacheReadTokens }),
});

/** A turn whose steps sent so much, and had so much of it in the cache. */
function turnOf(...steps: [uncached: number, cached?: number][]): MeteredLog {
  const log = new MeteredLog().startTurn().prompt('hi');
  steps.forEach(([uncached, cached], at) => {
    log.startStep();
    if (at === 0) log.header();
    log.reply(text('a'), { usage: usage(uncached, cached) }).endStep();
  });
  return log;
}

describe('prompts', () => {
  it('PR63 cached and uncached input are kept for each step', () => {
    const { events } = turnOf([1_000, 0], [100, 1_000], [300, 1_100]).session;

    expect(stepInputs(events)).toMatchObject([
      { step: 1, cached: 0, uncached: 1_000, hitShare: undefined },
      { step: 2, cached: 1_000, uncached: 100, hitShare: 1 },
      { step: 3, cached: 1_100, uncached: 300, hitShare: 1 },
    ]);
    expect(inputUse(events)).toEqual({ cached: 2_100, uncached: 1_400, missed: 0 });
  });

  it('PR63 from step 3 on a share below 0.9 of what was sent before is a miss; a long new result is none', () => {
    const steps = stepInputs(
      turnOf([1_000, 0], [1_000, 100], [5_000, 1_090], [800, 5_481], [5_700, 5_652]).session.events,
    );

    expect(steps.map(({ hitShare }) => hitShare?.toFixed(3))).toEqual([undefined, '0.100', '0.991', '0.900', '0.900']);
    expect(missedCache(steps).map(({ step }) => step)).toEqual([5]);
  });

  it('PR63 a break that is logged explains a miss: another header, and a history that was rewritten', () => {
    const log = turnOf([1_000, 0], [10, 1_000]).startStep();
    log
      .header({ config: { ...ROUTE, model: 'other' } })
      .reply(text('a'), { usage: usage(1_010, 0) })
      .endStep();
    const [first] = log.session.surface.nodes;
    log.replace(first!, first!, 'short');
    log
      .startStep()
      .reply(text('b'), { usage: usage(1_000, 0) })
      .endStep();
    log
      .startStep()
      .header({ config: { ...ROUTE, model: 'other' } })
      .reply(text('c'), { usage: usage(1_000, 0) })
      .endStep();
    const steps = stepInputs(log.session.events);

    expect(steps.map(({ breaks }) => breaks)).toEqual([[], [], ['header'], ['history'], []]);
    expect(missedCache(steps).map(({ step }) => step)).toEqual([5]);
  });

  it('PR63 of a provider that tells nothing of a cache nothing is said', () => {
    const { events } = turnOf([1_000], [1_000], [1_000]).session;

    expect([stepInputs(events), inputUse(events)]).toEqual([[], undefined]);
    expect(judgeCache([])).toMatchObject({ state: 'skipped' });
  });

  it('PR63 the doctor warns of steps that paid twice', () => {
    const well = stepInputs(turnOf([1_000, 0], [0, 1_000], [0, 1_000]).session.events);
    const ill = stepInputs(turnOf([1_000, 0], [0, 1_000], [1_000, 0]).session.events);

    expect(judgeCache(well)).toEqual({ state: 'ok', what: '66 % of 3000 input tokens came from the cache' });
    expect(judgeCache(ill)).toMatchObject({
      state: 'warning',
      what: '33 % of 3000 input tokens came from the cache; 1 of 3 steps paid again for what had been sent before.',
      mend: expect.stringContaining('proxy'),
    });
  });
});
