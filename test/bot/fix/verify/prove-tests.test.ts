import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BASE_TREE } from '../../../../src/bot/fix/verify/lay-base.ts';
import { layTestsCommand } from '../../../../src/bot/fix/verify/prove-tests.ts';
import type { TreeChange } from '../../../../src/github/tree/types.ts';
import { WORKSPACE } from '../../../../src/room/open-room.ts';
import { calls } from '../../../support/scripted-model.ts';
import { NAME } from '../../support/job-bench.ts';
import type { JobCall } from '../../support/job-bench.ts';
import { useJobBench } from '../../support/use-job-bench.ts';

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'src/price.js:1',
  verification: [],
  notes: [],
};
const TEST = 'test/price.test.js';
const written = (path: string) => ({ kind: 'added', path }) as TreeChange;
const LAY_TESTS = layTestsCommand([written(TEST)], WORKSPACE);

describe('prompts', () => {
  const manifest = JSON.stringify({ scripts: { test: 'node --test' } });
  const bench = useJobBench({ 'package.json': manifest, 'src/price.js': '1\n' });

  const submits = (paths: readonly string[] = []) => ({
    ...calls('submit_result', RESULT),
    before: () => paths.forEach((path) => bench.change(path, '2\n')),
  });
  const run = async (script: JobCall['script'], onBase: number, more: Partial<JobCall> = {}) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong' });
    return bench.run({
      ...{ job: 'fix', subject: { kind: 'issue', number }, script },
      commands: { 'npm test': ({ workdir }) => ({ exitCode: workdir === BASE_TREE ? onBase : 0 }), [LAY_TESTS]: {} },
      ...more,
    });
  };
  const bodyOf = (number: number) => bench.github.state.repositories[0]!.issues.get(number)!.body;
  const results = ({ events }: { events: readonly { type: string; data: unknown }[] }) =>
    events.filter(({ type }) => type === 'verify/result').map(({ data }) => data);

  it('PR32 PR5 tests that fail on the base without the change are a proof, told in the pull request', async () => {
    const ran = await run([submits(['src/price.js', TEST])], 1);

    expect(results(ran)).toMatchObject([
      { onBase: false, exitCode: 0 },
      { onBase: true, withTests: true, exitCode: 1 },
    ]);
    const produced = ran.outcome.produced as { number: number };
    expect(bodyOf(produced.number)).toContain('passed; with the changed tests it fails without the change');
  });

  it('PR32 tests that pass either way go back once, and are told as such', async () => {
    const { model, outcome } = await run([submits(['src/price.js', TEST]), submits()], 0);

    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toContain(
      'pass without the change, too, so they show nothing',
    );
    const produced = outcome.produced as { number: number };
    expect(bodyOf(produced.number)).toContain('the changed tests pass without the change, too');
  });

  it.each([
    ['no test', ['src/price.js']],
    ['tests alone', [TEST]],
  ])('PR32 a change of %s is not run on the base', async (_, paths) => {
    const ran = await run([submits(paths)], 0);

    expect(results(ran)).toHaveLength(1);
  });

  it('PR32 the proof can be switched off', async () => {
    const ran = await run([submits(['src/price.js', TEST])], 0, { config: { verify: { proveTests: false } } });

    expect(results(ran)).toHaveLength(1);
  });

  it('PR32 lays only the tests over the base, whatever their names', () => {
    const root = mkdtempSync(join(tmpdir(), 'dsh-prove-'));
    const [tree, base] = [join(root, 'tree'), join(root, 'base')];
    for (const folder of [join(tree, "it's a/test"), join(base, 'test')]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(tree, "it's a/test/x y.js"), 'new');
    writeFileSync(join(base, 'test/gone.js'), 'old');

    const gone: TreeChange = { kind: 'deleted', path: 'test/gone.js' };
    execFileSync('sh', ['-c', layTestsCommand([written("it's a/test/x y.js"), gone], tree, base)]);

    expect(readFileSync(join(base, "it's a/test/x y.js"), 'utf8')).toBe('new');
    expect(existsSync(join(base, 'test/gone.js'))).toBe(false);
    rmSync(root, { recursive: true });
  });
});
