import { describe, expect, it } from '@jest/globals';
import { JOB_SECTIONS, JOB_TOOLS, sectionsOf } from '../../../src/bot/prompts/sections.ts';
import { FIX_METHOD } from '../../../src/bot/prompts/fix-method.ts';
import type { JobKind } from '../../../src/triggers/reading.ts';

const JOBS = Object.keys(JOB_SECTIONS) as JobKind[];
const textOf = (job: JobKind, asksPeople = false) =>
  sectionsOf(job, { asksPeople })
    .map(({ text }) => String(text))
    .join('\n\n');
const sectionNames = (job: JobKind) => JOB_SECTIONS[job].map(({ name }) => name);

describe('prompts', () => {
  it.each(JOBS)('PR3 PR20 %s has at most twelve tools, each once', (job) => {
    expect(JOB_TOOLS[job].length).toBeLessThanOrEqual(12);
    expect(new Set(JOB_TOOLS[job]).size).toBe(JOB_TOOLS[job].length);
  });

  it('PR25 exact replacement is the only edit tool', () => {
    const tools = [...new Set(Object.values(JOB_TOOLS).flat())];

    expect(tools.filter((name) => /edit|patch|replace|apply/.test(name))).toEqual(['edit']);
  });

  it('PR4 PR30 the method reads and reproduces before it changes, runs after the last change, and ends by the tool', () => {
    const steps = [...FIX_METHOD.matchAll(/^(\d)\. (.*)$/gm)].map(([, n, text]) => `${n} ${text}`);

    expect(steps).toHaveLength(9);
    expect(steps[1]).toMatch(/still has the fault.*linked pull request/);
    expect(steps[2]).toMatch(/Reproduce .*see it fail for the stated reason/);
    expect(steps[3]).toMatch(/callers and the sister code/);
    expect(steps[4]).toMatch(/Change the cause, as little as it takes/);
    expect(steps[5]).toMatch(/reproduction again, then the tests of what you touched, then the project's test command/);
    expect(steps[6]).toMatch(/two inputs that the request does not name/);
    expect(steps[8]).toMatch(/submit_result/);
  });

  it('PR6 PR31 existing tests are not to be weakened, and giving up is an allowed end', () => {
    expect(FIX_METHOD).toMatch(/do not delete, skip or loosen one, and write no code that detects a test/);
    expect(FIX_METHOD).toMatch(/add one next to its kin that failed before the change/);
    expect(FIX_METHOD).toMatch(/contradicts the request stays, is reported, and is a reason for the outcome `partial`/);
    expect(FIX_METHOD).toMatch(/could not be reproduced needs its full chain of causes/);
    expect(FIX_METHOD).toMatch(/submit `partial` or `not_fixed` with what you learnt: that is a proper end/);
  });

  it('PR7 PR33 only what was asked, and what is seen on the way is noted, not mended', () => {
    expect(FIX_METHOD).toMatch(
      /only what was asked\. No reformatting, renaming, version, changelog, dependency, lockfile, CI or configuration change/,
    );
    expect(FIX_METHOD).toMatch(/Generated files are made by their generator/);
    expect(FIX_METHOD).toMatch(/Faults you see on the way go into `notes`, unfixed/);
    expect(FIX_METHOD).toMatch(/failures that were there before are named, not repaired/);
  });

  it('PR34 after three failures of one check the approach changes, and then there is an end', () => {
    expect(FIX_METHOD).toMatch(/same check fails three times after edits, stop editing, list your assumptions/);
    expect(FIX_METHOD).toMatch(/no reproduction after a quarter of the steps/);
  });

  it('PR35 PR21 what is said of questions follows whether somebody can be asked', () => {
    expect(textOf('fix')).toMatch(/You cannot ask questions: take the most cautious reading/);
    expect(textOf('fix', true)).not.toContain('You cannot ask');
    expect(textOf('fix', true)).toMatch(/something hard to undo: one request of at most three in this job/);
    expect(textOf('fix', true)).toMatch(
      /answer is part of the request; where none comes, take the option you recommended and say so in `notes`/,
    );
    expect(textOf('plan')).toMatch(/What a person alone can decide becomes an assumption of the plan/);
    expect(textOf('plan', true)).toMatch(
      /Questions are for what a person alone can decide: one request of at most three/,
    );
    expect(textOf('plan', true)).toMatch(/the option you recommended becomes an assumption of the plan/);
    expect(textOf('review', true)).toBe(textOf('review'));
  });

  it.each(JOBS)('PR55 %s speaks to people in results and facts, in their language', (job) => {
    const text = textOf(job);

    expect(text).toMatch(/the first sentence is the result; facts, not effort/);
    expect(text).toMatch(/nothing about tools, steps or prompts/);
    expect(text).toMatch(/language of the request/);
  });

  it.each(JOBS)('PR62 %s says that a reply which only announces is no step', (job) => {
    expect(textOf(job)).toMatch(/Each reply makes a call or .*a reply that only announces the next step is not a step/);
  });

  it('PR13 the sections of each job stand in the order of the table', () => {
    expect(sectionNames('fix')).toEqual(['bot:job', 'bot:method', 'bot:trust', 'bot:sandbox', 'bot:report']);
    expect(sectionNames('plan')).toEqual(['bot:job', 'plan:policy', 'bot:trust', 'bot:sandbox', 'bot:report']);
    for (const job of JOBS) {
      const orders = JOB_SECTIONS[job].map(({ order }) => order);
      expect(orders).toEqual([...orders].sort((a, b) => a! - b!));
    }
  });

  it('PR51 fix and plan end by a tool, ask and review in text', () => {
    expect(JOB_TOOLS.fix).toContain('submit_result');
    expect(JOB_TOOLS.plan).toContain('submit_plan');
    expect([...JOB_TOOLS.ask, ...JOB_TOOLS.review].filter((name) => name.startsWith('submit'))).toEqual([]);
  });

  it('PR14 no section holds a clock, a number of a subject, or anything of the deployment', () => {
    for (const job of JOBS) {
      expect(textOf(job, true).replaceAll('{{cwd}}', '')).not.toMatch(
        /\{\{|https?:|\b20\d\d\b|[0-9a-f]{12}|deepseek|gpt|claude/i,
      );
    }
  });
});
