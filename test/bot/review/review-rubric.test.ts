import { describe, expect, it } from '@jest/globals';
import { REFUTER } from '../../../src/bot/prompts/refuter.ts';
import { REVIEW_RUBRIC } from '../../../src/bot/prompts/review-rubric.ts';
import { Finding } from '../../../src/publish/review/finding.ts';
import { raiseWithinBand, weighFinding } from '../../../src/publish/review/weigh-finding.ts';
import { weighRefutation } from '../../../src/publish/review/weigh-refutation.ts';
import { found } from '../../publish/support/one-pull.ts';

const says = (...words: string[]) => words.forEach((text) => expect(REVIEW_RUBRIC).toContain(text));

describe('prompts', () => {
  it('PR39 says what a finding is, and that none is a good result', () => {
    says(
      'that this change brings or uncovers',
      'that its author would fix',
      'that fits one place',
      'no finding is a good result',
    );
  });

  it('PR40 says what each severity means by its consequence', () => {
    says(
      'the consequence in the worst realistic case',
      '`blocker`: data lost',
      '`major`: a wrong result',
      '`minor`: real',
      '`nit`: breaks a written rule',
    );
  });

  it('PR43 says what is never reported', () => {
    for (const kind of [
      'style',
      'missing comments',
      '"consider"',
      'praise',
      'speculation',
      'missing tests',
      'hardening',
      'generated or vendored',
      'a person dismissed',
      'whether reporting works',
    ])
      says(kind);
  });

  it('PR44 bounds title, body, code and lines', () => {
    says(
      'at most 80 characters',
      'at most 80 words, one paragraph',
      'at most three lines of code',
      'at most ten',
      'complete in that place',
    );
    expect(Finding.safeParse({ ...found(), title: 'x'.repeat(121) }).success).toBe(false);
  });

  it('PR46 says that a doubt is settled by running it below /tmp, and what could not be run is no finding', () => {
    says(
      'settled by running it on a copy below /tmp',
      'What could not be run is said in the verdict, not made a finding',
    );
    expect(REFUTER).toContain('run the scenario on a copy below /tmp');
  });

  it.each([
    ['ran', 0.6, 0.9],
    ['ran', 0.95, 0.95],
    ['traced', 0.99, 0.85],
    ['traced', 0.6, 0.6],
    ['traced', 0.66, 0.65],
    ['traced', 0.68, 0.7],
    ['rule', 0.99, 0.9],
    ['rule', 0.6, 0.8],
    ['traced', 0.3, 0.3],
  ] as const)('PR42 %s with %f is worth %f', (evidence, confidence, worth) => {
    const finding = found({ evidence, confidence, proof: '`node x.js` printed 1; src/a.js:1' });

    expect(weighFinding(finding, ['node x.js'])!.confidence).toBe(worth);
  });

  it('PR40 PR42 a nit without a rule is dropped, and a trace of one hop blocks nothing', () => {
    expect(weighFinding(found({ severity: 'nit' }), [])).toBeUndefined();
    expect(weighFinding(found({ severity: 'nit', evidence: 'rule' }), [])).toBeDefined();
    expect(weighFinding(found({ severity: 'blocker', proof: 'src/a.js:1' }), [])!.severity).toBe('major');
    expect(
      weighFinding(found({ severity: 'blocker', confidence: 0.6, proof: 'src/a.js:1, src/b.js:2' }), [])!.severity,
    ).toBe('major');
    expect(weighFinding(found({ severity: 'blocker', proof: 'src/a.js:1, src/b.js:2' }), [])!.severity).toBe('blocker');
  });

  it('PR48 found twice is a little more certain, inside the band', () => {
    expect(raiseWithinBand(found({ confidence: 0.7 })).confidence).toBeCloseTo(0.8);
    expect(raiseWithinBand(found({ confidence: 0.84 })).confidence).toBe(0.85);
    expect(raiseWithinBand(found({ confidence: 0.6 })).confidence).toBe(0.65);
  });

  it.each([
    ['a line that is there', 'src/a.js:3', undefined],
    ['a line beyond the end', 'src/a.js:9', 0.65],
    ['a file that is not there', 'src/b.js:1', 0.65],
    ['a command that was run', '`node x.js` printed 2', undefined],
    ['a command that was not', '`node y.js` printed 2', 0.65],
  ] as const)('PR49 a refutation whose proof is %s (%s) leaves a confidence of %s', (_, proof, confidence) => {
    const look = {
      verdict: 'refuted',
      reason: '',
      proof,
      commands: ['node x.js'],
      lines: new Map([['src/a.js', 5]]),
    } as const;

    expect(weighRefutation(found({ confidence: 0.8 }), look)?.confidence).toBe(confidence);
  });
});
