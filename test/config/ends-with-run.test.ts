import { describe, expect, it } from '@jest/globals';
import { endsWithRun } from '../../src/config/ends-with-run.ts';
import type { Env } from '../../src/config/env.ts';

const TEMP = '/home/runner/_temp';

describe('bot-hosts', () => {
  it.each([
    ['the folder itself', { dataDir: TEMP }, true],
    ['a folder below it', { dataDir: `${TEMP}/dsh` }, true],
    ['one whose name only begins the same', { dataDir: `${TEMP}2/dsh` }, false],
    ['a way out of it', { dataDir: `${TEMP}/../keep` }, false],
    ['a name that begins with dots', { dataDir: `${TEMP}/..dsh` }, true],
    ['one with a slash at its end', { RUNNER_TEMP: `${TEMP}/`, dataDir: `${TEMP}/dsh` }, true],
    ['a database', { dataDir: `${TEMP}/dsh`, DATABASE_URL: 'postgres://x/y' }, false],
    ['no runner', { RUNNER_TEMP: undefined, dataDir: '/home/me' }, false],
  ])('H9 what is stored ends with the run: %s', (_where, env, ends) => {
    expect(endsWithRun({ RUNNER_TEMP: TEMP, ...env } as Env)).toBe(ends);
  });
});
