import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { END_PROCESSES } from '../../../../src/bot/fix/verify/end-processes.ts';
import { BASE_TREE } from '../../../../src/bot/fix/verify/lay-base.ts';
import { layTestsCommand } from '../../../../src/bot/fix/verify/prove-tests.ts';
import { sandboxUnavailable } from '../../../../src/docker/errors.ts';
import type { TreeChange } from '../../../../src/github/tree/types.ts';
import { WORKSPACE } from '../../../../src/room/open-room.ts';
import type { MemoryScript } from '../../../support/memory-bash.ts';
import { calls } from '../../../support/scripted-model.ts';
import { JobBench, LAY_BASE, NAME } from '../../support/job-bench.ts';
import type { JobCall } from '../../support/job-bench.ts';

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'src/price.js:1',
  verification: [],
  notes: [],
};
const TEST = 'test/price.test.js';
const LAY_TESTS = layTestsCommand([{ kind: 'added', path: TEST } as TreeChange], WORKSPACE);
const LOST = 'The sandbox was lost: it has ended.';
const lose = (): never => {
  throw sandboxUnavailable(LOST, 'see the log of the Docker engine');
};

/** A sandbox that is made anew twice, as the product's is, and then no more. */
class Losses {
  #left = 3;
  command(script: MemoryScript): MemoryScript {
    return (spec) => {
      if (this.#left === 0) return lose();
      return typeof script === 'function' ? script(spec) : script;
    };
  }
  readonly lose = () => ((this.#left -= 1), lose());
  /** With the two that every verification asks. */
  commands(own: Record<string, MemoryScript>): Record<string, MemoryScript> {
    const all = Object.entries({ [END_PROCESSES]: {}, true: {}, ...own });
    return Object.fromEntries(all.map(([name, script]) => [name, this.command(script)]));
  }
}

describe('bot-fix', () => {
  let bench: JobBench;
  beforeAll(async () => {
    const manifest = JSON.stringify({ scripts: { test: 'node --test' } });
    bench = await JobBench.start({ 'package.json': manifest, 'src/price.js': 'export const price = 1;\n' });
  });
  afterAll(() => bench.close());

  const submits = { ...calls('submit_result', RESULT), before: () => bench.change('src/price.js', '2\n') };
  const fix = async (call: Partial<JobCall>) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong' });
    return bench.run({ job: 'fix', subject: { kind: 'issue', number }, script: [submits, submits, submits], ...call });
  };
  const changesTestToo = () => [`src/price.js`, TEST].forEach((path) => bench.change(path, '2\n'));
  const bodyOf = (produced: object) =>
    bench.github.state.repositories[0]!.issues.get((produced as { number: number }).number)!.body;

  it('F3 a verification that takes the sandbox down goes back to the model, and what it mends is published', async () => {
    const losses = new Losses();
    const results: (() => never | object)[] = [losses.lose, () => ({})];
    const test: MemoryScript = ({ workdir }) => (workdir === BASE_TREE ? {} : results.shift()!());

    const { outcome, model, events } = await fix({ commands: losses.commands({ 'npm test': test }) });

    expect(model.requests).toHaveLength(2);
    const told = JSON.stringify(model.requests[1]!.messages.at(-1));
    expect(told).toMatch(/makes `npm test` fail; it passes without the change/);
    expect(told).toMatch(/took the sandbox down: out of memory, or every process killed/);
    expect(outcome).toMatchObject({ status: 'completed', produced: { draft: false }, verify: [{ exitCode: 0 }] });
    expect(events.find(({ type }) => type === 'verify/result')).toMatchObject({ data: { lost: LOST, exitCode: null } });
  });

  it('F3 where it takes the last sandbox, the change is a draft that says so, closes nothing and names what was not run', async () => {
    const losses = new Losses();
    const test: MemoryScript = ({ workdir }) => (workdir === BASE_TREE ? {} : losses.lose());

    const { outcome, model } = await fix({
      commands: losses.commands({ 'npm test': test, 'npm run lint': {} }),
      config: { verify: { commands: ['npm test', 'npm run lint'] } },
    });

    expect(model.requests).toHaveLength(3);
    expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'pull-request', draft: true } });
    const body = bodyOf(outcome.produced);
    expect(body).toContain('- `npm test`: took the sandbox down (out of memory, or every process killed)');
    expect(body).toContain('- `npm run lint`: not run, because no sandbox was left to run it in');
    expect(body).not.toContain('Fixes #');
  });

  it('F2 what takes the sandbox down on the base as well is told apart, and the next command runs in a new one', async () => {
    const losses = new Losses();

    const { outcome, model } = await fix({
      commands: losses.commands({ 'npm test': losses.lose, 'npm run lint': {} }),
      config: { verify: { commands: ['npm test', 'npm run lint'] } },
    });

    expect(model.requests).toHaveLength(1);
    expect(outcome).toMatchObject({ produced: { draft: false } });
    expect(bodyOf(outcome.produced)).toMatch(
      /`npm test`: took the sandbox down.*fails the same way without this change/,
    );
    expect(bodyOf(outcome.produced)).toContain('- `npm run lint`: passed');
  });

  it('F2 U8 an engine that is gone is not taken for the work of the change: nothing is published, and the work is kept', async () => {
    const engine = { isThere: true };
    const asked = (): object => {
      if (!engine.isThere) throw sandboxUnavailable('No Docker engine answers.', 'Start the Docker engine.');
      return {};
    };
    const test: MemoryScript = () => ((engine.isThere = false), lose());

    const { outcome } = await fix({ commands: { [END_PROCESSES]: asked, true: asked, 'npm test': test } });

    expect(outcome).toMatchObject({
      ...{ status: 'failed', produced: { kind: 'nothing' }, kept: { kind: 'snapshot' } },
      problem: { code: 'SANDBOX_UNAVAILABLE', message: expect.stringContaining('No Docker engine answers') },
    });
  });

  it('F2 processes of a sandbox that is lost while they are ended are gone with it', async () => {
    let asked = 0;
    const end: MemoryScript = () => ((asked += 1) === 1 ? lose() : {});

    const { outcome } = await fix({ commands: { [END_PROCESSES]: end, 'npm test': {} } });

    expect(outcome).toMatchObject({ status: 'completed', produced: { draft: false } });
  });

  it('F2 F3 a base too large to be laid out takes the sandbox, not the work: nothing is claimed of it, and it goes back', async () => {
    const losses = new Losses();
    const results = [{ exitCode: 1, stdout: 'not ok 1' }, {}];

    const { outcome, model } = await fix({
      commands: losses.commands({ 'npm test': () => results.shift()!, [LAY_BASE]: losses.lose }),
    });

    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toMatch(/could not be found out.*not ok 1/);
    expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'pull-request', draft: false } });
  });

  it('F3 PR32 a proof that takes the sandbox down is laid out anew for the next command', async () => {
    const losses = new Losses();
    const laid = { isThere: false };
    const onBase = (then: () => object): MemoryScript => {
      return ({ workdir }) => {
        if (workdir !== BASE_TREE) return {};
        if (!laid.isThere) return { exitCode: 1, stderr: 'no such folder' };
        return then();
      };
    };
    const own = {
      [LAY_BASE]: () => ({}),
      [LAY_TESTS]: () => ((laid.isThere = true), {}),
      'npm test': onBase(() => ((laid.isThere = false), losses.lose())),
      'npm run more': onBase(() => ({})),
    };

    const { outcome } = await fix({
      script: [{ ...submits, before: changesTestToo }],
      commands: losses.commands(own),
      config: { verify: { commands: ['npm test', 'npm run more'] } },
    });

    expect(bodyOf(outcome.produced)).toContain(
      '- `npm run more`: passed; the changed tests pass without the change, too',
    );
  });

  it('F3 PR32 where the tests take the last sandbox while they are laid out, what passed is published', async () => {
    const losses = new Losses();

    const { outcome } = await fix({
      script: [{ ...submits, before: changesTestToo }],
      commands: losses.commands({ 'npm test': {}, [LAY_BASE]: losses.lose }),
    });

    expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'pull-request', draft: false } });
    expect(bodyOf(outcome.produced)).toMatch(/- `npm test`: passed\n/);
  });
});
