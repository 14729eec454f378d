import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls } from '../../../support/scripted-model.ts';
import { JobBench, NAME } from '../../support/job-bench.ts';
import type { JobCall } from '../../support/job-bench.ts';

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'src/price.js:1',
  verification: [],
  notes: [],
};
const PRICE = 'export const price = 1;\nexport const tax = 2;\nexport const sum = 3;\n';
const MENDED = PRICE.replace('price = 1', 'price = 2');

/** The branch moves while the agent works: I5 of the hard inputs, and the base of an issue's fix. */
describe('bot-fix', () => {
  let bench: JobBench;
  let count = 0;
  beforeAll(async () => {
    bench = await JobBench.start({ 'src/price.js': PRICE });
  });
  afterAll(() => bench.close());

  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: bench.github.state.repositories[0]!.gitDir, encoding: 'utf8' }).trimEnd();
  const branches = () => git('for-each-ref', '--format=%(refname:short)', 'refs/heads/').split('\n');
  const push = (branch: string, files: Record<string, string>, from?: string) =>
    bench.github.push(NAME, { by: 'maria', branch, files, ...(from && { from }) });
  const reset = () => push('main', { 'src/price.js': PRICE });
  const submits = (before: () => unknown, result: object = RESULT) => ({ ...calls('submit_result', result), before });
  const mend = () => bench.change('src/price.js', MENDED);

  const onIssue = async (call: Pick<JobCall, 'script'> & Partial<JobCall>) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong' });
    return { number, ...(await bench.run({ job: 'fix', subject: { kind: 'issue', number }, ...call })) };
  };
  /** A pull request of its own branch; `during` is what happens to it before the model submits. */
  const onPull = async (during: (branch: string, number: number, head: string) => Promise<unknown>) => {
    const branch = `topic-${(count += 1)}`;
    const head = await push(branch, { 'topic.txt': `${count}\n` }, 'main');
    const { number } = await bench.github.openPull(NAME, { by: 'maria', title: 'Topic', head: branch, base: 'main' });
    const script = [submits(async () => (mend(), await during(branch, number, head)))];
    const run = await bench.run({ job: 'fix', subject: { kind: 'pull', number }, script });
    const saved = branches().find((name) => name.startsWith(`dsh/pull-${number}`));
    return { branch, head, number, saved, ...run };
  };
  const priceOn = (branch: string) => git('show', `${branch}:src/price.js`);

  it('U3 a base that moved on is merged into the work, and the pull request says so', async () => {
    let moved = '';
    const { outcome } = await onIssue({
      script: [submits(async () => (mend(), (moved = await push('main', { 'other.txt': 'theirs\n' }))))],
    });

    const produced = outcome.produced as Extract<typeof outcome.produced, { kind: 'pull-request' }>;
    expect(git('rev-parse', `${produced.branch}~1`)).toBe(moved);
    expect(priceOn(produced.branch)).toBe(MENDED.trimEnd());
    expect(git('show', `${produced.branch}:other.txt`)).toBe('theirs');
    const { body } = bench.github.state.repositories[0]!.issues.get(produced.number)!;
    expect(body).toMatch(new RegExp(`moved from [0-9a-f]{40} to ${moved} while the work went on`));
  });

  it('F2 U3 what was merged onto a base that moved on is verified there, and what fails then goes back', async () => {
    await reset();
    const start = git('rev-parse', 'main');
    let moved = '';
    const seen: string[] = [];
    const check = () => {
      const [price, theirs, both] = ['src/price.js', 'theirs.js', 'both.js'].map((path) => {
        const file = join(bench.checkout!.workTree, path);
        return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
      });
      seen.push(`${price}|${theirs}`);
      return { exitCode: theirs && !both ? 1 : 0 };
    };

    const { outcome, model } = await onIssue({
      config: { verify: { commands: ['check'], proveTests: false } },
      commands: { check },
      script: [
        submits(async () => (mend(), (moved = await push('main', { 'theirs.js': 'theirs' })))),
        submits(() => bench.change('both.js', 'both\n')),
      ],
    });

    expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toContain('now stands on its new head');
    expect(seen).toEqual([`${MENDED}|undefined`, `${MENDED}|theirs`, `${MENDED}|theirs`]);
    const produced = outcome.produced as Extract<typeof outcome.produced, { kind: 'pull-request' }>;
    expect(git('rev-parse', `${produced.branch}~1`)).toBe(moved);
    expect(git('diff', '--name-only', moved, produced.branch).split('\n')).toEqual(['both.js', 'src/price.js']);
    expect(produced.draft).toBe(false);
    const { body } = bench.github.state.repositories[0]!.issues.get(produced.number)!;
    expect(body).toContain(
      `moved from ${start} to ${moved} while the work went on. The change was merged onto the second`,
    );
  });

  it('F2 U3 what the verification writes keeps the tree where it is: the merge is said to be unverified', async () => {
    await reset();
    const check = () => (bench.change('junk.txt', 'x'), { exitCode: 0 });

    const { outcome } = await onIssue({
      config: { verify: { commands: ['check'] } },
      commands: { check },
      script: [submits(async () => (mend(), await push('main', { 'more.js': 'more' })))],
    });

    const produced = outcome.produced as Extract<typeof outcome.produced, { kind: 'pull-request' }>;
    expect(git('diff', '--name-only', 'main', produced.branch)).toBe('src/price.js');
    const { body } = bench.github.state.repositories[0]!.issues.get(produced.number)!;
    expect(body).toContain('verified on the first and merged onto the second');
  });

  it('U3 a base that does not merge goes back to the model once, laid out with markers on the new head', async () => {
    await reset();
    const theirs = PRICE.replace('price = 1', 'price = 7');
    let moved = '';
    let seen = '';
    const { outcome, model } = await onIssue({
      script: [
        submits(async () => (mend(), (moved = await push('main', { 'src/price.js': theirs })))),
        submits(() => {
          seen = readFileSync(join(bench.checkout!.workTree, 'src/price.js'), 'utf8');
          bench.change('src/price.js', PRICE.replace('price = 1', 'price = 2 + 7'));
        }),
      ],
    });

    expect(seen).toMatch(/<<<<<<< [\s\S]*price = 7;\n=======\n[\s\S]*price = 2;\n>>>>>>> /);
    const note = model.requests[1]!.messages.at(-1)!.content[0];
    expect(note).toMatchObject({ text: expect.stringMatching(/^<host-note>[\s\S]*do not merge: src\/price\.js/) });
    const produced = outcome.produced as Extract<typeof outcome.produced, { kind: 'pull-request' }>;
    expect(git('rev-parse', `${produced.branch}~1`)).toBe(moved);
    expect(priceOn(produced.branch)).toContain('price = 2 + 7');
    expect(outcome).toMatchObject({ produced: { draft: false } });
  });

  it('U1 U3 a workflow that the model changed is still there after a conflict, and is given as a patch', async () => {
    const ci = '.github/workflows/ci.yml';
    await push('main', { 'src/price.js': PRICE, [ci]: 'on: push\n' });
    const theirs = { 'src/price.js': PRICE.replace('price = 1', 'price = 7') };
    const { outcome } = await onIssue({
      script: [
        submits(async () => (mend(), bench.change(ci, 'on: pull_request\n'), await push('main', theirs))),
        submits(() => bench.change('src/price.js', PRICE.replace('price = 1', 'price = 9'))),
      ],
    });

    const produced = outcome.produced as Extract<typeof outcome.produced, { kind: 'pull-request' }>;
    expect(git('diff', '--name-only', 'main', produced.branch)).toBe('src/price.js');
    expect(outcome.patch).toMatch(/-on: push\n\+on: pull_request/);
    await reset();
  });

  it.each([
    ['leaves the markers', () => {}],
    ['is overtaken again', () => bench.change('src/price.js', MENDED)],
  ])(
    'U3 where the model %s the work is published on the commit it was made on, and that is said',
    async (how, then) => {
      await reset();
      const start = git('rev-parse', 'main');
      const clash = (price: number) => push('main', { 'src/price.js': PRICE.replace('price = 1', `price = ${price}`) });
      let first = '';
      const { outcome } = await onIssue({
        script: [
          submits(async () => (mend(), (first = await clash(7)))),
          submits(async () => (then(), how === 'is overtaken again' && (await clash(8)))),
        ],
      });

      const produced = outcome.produced as Extract<typeof outcome.produced, { kind: 'pull-request' }>;
      expect(priceOn(produced.branch)).toBe(MENDED.trimEnd());
      expect(git('rev-parse', `${produced.branch}~1`)).toBe(how === 'is overtaken again' ? first : start);
      const { body } = bench.github.state.repositories[0]!.issues.get(produced.number)!;
      expect(body).toContain('does not merge there (src/price.js)');
    },
  );

  it('U3 I5 a commit to another file of a pull request is merged, and nothing is lost', async () => {
    await reset();
    let pushed = '';
    const { outcome, branch, surface } = await onPull(
      async (name) => (pushed = await push(name, { 'mine.txt': 'mine\n' })),
    );

    expect(outcome.produced).toMatchObject({ kind: 'commit', branch });
    expect(git('rev-parse', `${branch}~1`)).toBe(pushed);
    expect([git('show', `${branch}:mine.txt`), priceOn(branch)]).toEqual(['mine', MENDED.trimEnd()]);
    expect(surface.body).toContain(pushed);
  });

  it('U3 I5 a commit to the same lines leaves the work on a branch of its own, with both shas told', async () => {
    let pushed = '';
    const { outcome, branch, head, saved, surface } = await onPull(
      async (name) => (pushed = await push(name, { 'src/price.js': PRICE.replace('price = 1', 'price = 9') })),
    );

    expect(git('rev-parse', branch)).toBe(pushed);
    expect(outcome.produced).toMatchObject({ kind: 'branch', branch: saved });
    expect(git('rev-parse', `${saved}~1`)).toBe(head);
    expect(priceOn(saved!)).toBe(MENDED.trimEnd());
    expect(surface.body).toContain(head);
    expect(surface.body).toContain(pushed);
  });

  it('U3 I5 a force-push is left as it is, and the work saved beside it', async () => {
    let pushed = '';
    const { outcome, branch, head, saved, surface } = await onPull(
      async (name) => (pushed = await push(name, { 'topic.txt': 'anew\n' }, 'main')),
    );

    expect(git('rev-parse', branch)).toBe(pushed);
    expect(outcome.produced).toMatchObject({ kind: 'branch', branch: saved });
    expect(git('rev-parse', `${saved}~1`)).toBe(head);
    expect(surface.body).toMatch(new RegExp(`force-pushed from ${head} to ${pushed}`));
  });

  it('U3 I5 a deleted branch is not made again, and the work is saved', async () => {
    const { outcome, branch, saved, surface } = await onPull((name) =>
      bench.github.deleteBranch(NAME, name, { by: 'maria' }),
    );

    expect(branches()).not.toContain(branch);
    expect(outcome.produced).toMatchObject({ kind: 'branch', branch: saved });
    expect(surface.body).toMatch(/was (deleted|closed) while the work went on/);
  });

  it.each([
    ['merged', (number: number) => bench.github.mergePull(NAME, number, { by: 'maria' })],
    ['closed', (number: number) => bench.github.editIssue(NAME, number, { by: 'maria', state: 'closed' })],
  ])('U3 I5 a pull request that was %s meanwhile gets no commit, and the work is saved', async (how, act) => {
    const { outcome, branch, head, saved, surface } = await onPull(async (_, number) => act(number));

    expect(git('rev-parse', branch)).toBe(head);
    expect(outcome.produced).toMatchObject({ kind: 'branch', branch: saved });
    expect(surface.body).toContain(`was ${how} while the work went on`);
  });

  it('U3 our own pull request takes one more commit on top of what people pushed to it', async () => {
    await reset();
    const first = await onIssue({ script: [submits(mend)] });
    const own = first.outcome.produced as Extract<typeof first.outcome.produced, { kind: 'pull-request' }>;
    let pushed = '';

    const { outcome } = await bench.run({
      job: 'fix',
      subject: { kind: 'issue', number: first.number },
      script: [
        submits(async () => {
          bench.change('more.txt', 'more\n');
          pushed = await push(own.branch, { 'theirs.txt': 't\n' });
        }),
      ],
    });

    expect(outcome.produced).toMatchObject({ kind: 'pull-request', number: own.number, branch: own.branch });
    expect(git('rev-parse', `${own.branch}~1`)).toBe(pushed);
    expect(git('show', `${own.branch}:more.txt`)).toBe('more');
  });

  it('U3 what somebody pushed meanwhile as well is not published twice', async () => {
    await reset();
    const before = branches();

    const { outcome, surface } = await onIssue({
      script: [submits(async () => (mend(), await push('main', { 'src/price.js': MENDED })))],
    });

    expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'nothing' } });
    expect(branches()).toEqual(before);
    expect(surface.body).toContain('holds this change by now');
  });

  it('U5 a protected head branch gets a pull request of its own', async () => {
    await reset();
    const { outcome, branch, head, saved, number } = await onPull(async (name) =>
      bench.github.protectBranch(NAME, name),
    );

    expect(git('rev-parse', branch)).toBe(head);
    expect(outcome.produced).toMatchObject({ kind: 'pull-request', branch: saved });
    const made = outcome.produced as Extract<typeof outcome.produced, { kind: 'pull-request' }>;
    const { pull, body } = bench.github.state.repositories[0]!.issues.get(made.number)!;
    expect(pull!.base.ref).toBe(branch);
    expect(body).toContain(`For #${number}.`);
  });

  it('U6 a run after one that died before its pull request goes on with that branch, under another title too', async () => {
    await reset();
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong' });
    const subject = { kind: 'issue' as const, number };
    bench.github.faults.inject({ match: { method: 'POST', path: /\/pulls$/ }, status: 500, times: 99 });
    const died = await bench.run({ job: 'fix', subject, script: [submits(mend)] });
    expect(died.outcome).toMatchObject({ status: 'failed' });
    const made = branches().filter((name) => name.startsWith(`dsh/issue-${number}`));
    expect(made).toHaveLength(1);
    bench.github.faults.clear();

    const { outcome } = await bench.run({
      job: 'fix',
      subject,
      script: [submits(mend, { ...RESULT, title: 'Put the price right' })],
    });

    expect(outcome.produced).toMatchObject({ kind: 'pull-request', branch: made[0] });
    expect(branches().filter((name) => name.startsWith(`dsh/issue-${number}`))).toEqual(made);
    expect(git('rev-list', '--count', `main..${made[0]}`)).toBe('1');
  });
});
