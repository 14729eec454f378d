import { describe, expect, it } from '@jest/globals';
import { surfaceUnder } from '../../../src/publish/progress/surface-under.ts';
import { RecordingSurface } from '../../bot/support/recording-surface.ts';

describe('persistence', () => {
  it('B1 progress is drawn for as long as the work is ours, and its end is not told by who lost it', async () => {
    let isOurs = true;
    const told = new RecordingSurface();
    const surface = surfaceUnder(told, () => {
      if (!isOurs) throw new Error('lost');
    });
    const progress = await surface.openProgress(
      {} as never,
      { session: 's', cause: 'c' },
      (end) => end?.state ?? 'at work',
    );
    progress.changed('a step');
    isOurs = false;

    expect(() => progress.changed('another step')).toThrow('lost');
    await expect(progress.end({ state: 'done' } as never)).rejects.toThrow('lost');
    expect([told.drawn, told.body]).toEqual([['at work'], '']);
  });
});
