import { describe, expect, it } from '@jest/globals';
import { comesFrom, nextRunCause, runOf } from '../../src/bot/job/job-cause.ts';
import type { JobOutcome } from '../../src/bot/job/job.ts';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import { followUpGoal, runsLeft } from '../../src/intake/follow-up-goal.ts';
import type { Turn } from '../../src/publish/progress/surface.ts';
import { decide } from '../../src/triggers/decide.ts';
import { goalLog as log } from '../support/goal-log.ts';
import { factsOf } from '../triggers/support/facts.ts';
import { command, comment } from '../triggers/support/payloads.ts';

const reading = command('/dsh goal --runs=2 all tests pass');
const turn: Turn = { kind: 'turn', job: 'goal', request: 'all tests pass', permission: 'write', reading };
const nth = (run: number): Turn => ({ ...turn, reading: { ...reading, cause: `${reading.cause}-run-${run}` } });
const SPENT = { problem: { code: 'BUDGET', message: 'spent', hint: undefined }, tokens: 9 } as const;

const EXHAUSTED = log({ phase: 'blocked', blockedReason: { code: 'budget-exhausted', message: 'spent' } });

const follow = (
  given: Turn = turn,
  outcome: Pick<JobOutcome, 'problem' | 'tokens'> = SPENT,
  facts: Partial<Parameters<typeof followUpGoal>[2]> = {},
) => followUpGoal(given, outcome, { events: EXHAUSTED, permission: 'write', ...facts }, DEFAULT_CONFIG);

describe('goal', () => {
  it('G10 a further run is a resume of its own cause, up to as many as were allowed', () => {
    const next = follow();

    expect(next).toMatchObject({ job: 'goal', reading: { cause: 'comment-5-run-1', command: { text: 'resume' } } });
    expect(follow(next)).toMatchObject({ reading: { cause: 'comment-5-run-2' } });
    expect(follow(nth(2))).toBeUndefined();
    expect([runsLeft(turn), runsLeft(nth(2)), runsLeft({ ...turn, job: 'fix' })]).toEqual([2, 0, 0]);
    expect([nextRunCause('comment-5'), runOf('comment-5'), runOf('comment-5-run-12')]).toEqual([
      'comment-5-run-1',
      0,
      12,
    ]);
    expect([comesFrom('comment-5-run-1', 'comment-5'), comesFrom('comment-5-run-1', 'comment-6')]).toEqual([
      true,
      false,
    ]);
  });

  it.each<[string, Turn | undefined]>([
    ['nobody allowed it', follow({ ...turn, reading: command('/dsh goal all tests pass') })],
    ['who allowed it may not approve any more', follow(turn, SPENT, { permission: 'triage' })],
    ['GitHub does not say what he may do', follow(turn, SPENT, { permission: 'could-not-check' })],
    ['it was stopped', follow(turn, { ...SPENT, problem: { code: 'STOPPED', message: '', hint: undefined } })],
    ['it failed', follow(turn, { ...SPENT, problem: { code: 'TURN_FAILED', message: '', hint: undefined } })],
    ['the run could do nothing', follow(turn, { ...SPENT, tokens: 0 })],
    ['the goal is paused', follow(turn, SPENT, { events: log({ phase: 'paused' }) })],
    ['the goal is complete', follow(turn, SPENT, { events: log({ phase: 'complete' }) })],
    ['there is no goal', follow(turn, SPENT, { events: [] })],
    [
      'the model says that it is stuck',
      follow(turn, SPENT, {
        events: log({ phase: 'blocked', blockedReason: { code: 'model-reported', message: 'no key' } }),
      }),
    ],
  ])('G10 no further run begins where %s', (_why, next) => {
    expect(next).toBeUndefined();
  });

  it('G24 to let a goal go on by itself needs the right to approve, and a number', () => {
    const config = { ...DEFAULT_CONFIG, permissions: { ...DEFAULT_CONFIG.permissions, approve: 'maintain' as const } };

    expect(decide(reading, factsOf(), config)).toMatchObject({ kind: 'refuse', why: 'no-permission' });
    expect(decide(reading, factsOf({ permission: 'maintain' }), config)).toMatchObject({ kind: 'turn', job: 'goal' });
    expect(decide(command('/dsh goal all tests pass'), factsOf(), config)).toMatchObject({ kind: 'turn', job: 'goal' });
    for (const words of ['--runs=many', '--runs=0', '--runs=21'])
      expect(comment(`/dsh goal ${words} all`)).toMatchObject([
        { kind: 'misunderstood', reply: expect.stringContaining('--runs=<n>') },
      ]);
  });
});
