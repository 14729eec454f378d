import { describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { END_PROCESSES } from '../../../src/bot/fix/verify/end-processes.ts';
import { BASE_TREE } from '../../../src/bot/fix/verify/lay-base.ts';
import { calls, callsAll, fails, hangs, says } from '../../support/scripted-model.ts';
import type { MemoryScript } from '../../support/memory-bash.ts';
import { NAME } from '../support/job-bench.ts';
import type { JobCall } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'src/price.js:1',
  verification: [],
  notes: ['Look at the tax.'],
};
const MANIFEST = JSON.stringify({ scripts: { test: 'node --test' } });
const TOKEN = `ghp_${'aB3'.repeat(12)}`;
const KNOWN = 'p@ss_word*of#1this';

describe('bot-fix', () => {
  const bench = useJobBench({ 'package.json': MANIFEST, 'src/price.js': 'export const price = 1;\n' });
  let number: number;

  /** A fix on an issue of its own. */
  const fix = async (call: Partial<JobCall> & Pick<JobCall, 'script'>) => {
    ({ number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong', body: 'It is 1.' }));
    return bench.run({ job: 'fix', subject: { kind: 'issue', number }, commands: { 'npm test': {} }, ...call });
  };
  const changing = (path = 'src/price.js', text = 'export const price = 2;\n') => ({
    before: () => bench.change(path, text),
  });
  const pulls = () => [...bench.github.state.repositories[0]!.issues.values()].filter((issue) => issue.pull);
  const ofType = <T extends SessionEvent['type']>(events: readonly SessionEvent[], type: T) =>
    events.filter((event) => event.type === type).map(({ data }) => data);

  it('F2 U4 publishes a verified change as a pull request that says how it was verified', async () => {
    const { outcome, events } = await fix({ script: [{ ...calls('submit_result', RESULT), ...changing() }] });

    expect(outcome).toMatchObject({
      status: 'completed',
      produced: { kind: 'pull-request', draft: false, title: 'Mend the price' },
    });
    const pull = pulls().at(-1)!;
    expect(pull.body).toContain('- `npm test`: passed');
    expect(pull.body).toContain(`Fixes #${number}`);
    expect(pull.body).toContain('- Look at the tax.');
    expect(ofType(events, 'verify/result')).toMatchObject([{ command: 'npm test', exitCode: 0, onBase: false }]);
    expect(ofType(events, 'publish/done')).toMatchObject([
      { what: 'commit' },
      { what: 'pull-request', id: pull.number },
    ]);
  });

  it('U6 no change is no pull request', async () => {
    const before = pulls().length;

    const { outcome, surface } = await fix({
      script: [calls('submit_result', { ...RESULT, outcome: 'nothing_to_do', summary: 'It is right already.' })],
    });

    expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'nothing' } });
    expect(surface.body).toContain('It is right already.');
    expect(pulls()).toHaveLength(before);
  });

  it('F3 a failing change goes back as often as configured, then becomes a draft that says so', async () => {
    const submits = { ...calls('submit_result', RESULT), ...changing() };
    const npmTest: MemoryScript = ({ workdir }) => ({ exitCode: workdir === BASE_TREE ? 0 : 1, stdout: '2 failed' });

    const { outcome, model } = await fix({
      script: [submits, calls('submit_result', RESULT), calls('submit_result', RESULT)],
      commands: { 'npm test': npmTest },
      config: { verify: { rounds: 2 } },
    });

    expect(model.requests).toHaveLength(3);
    const note = model.requests[1]!.messages.at(-1)!.content[0];
    expect(note).toMatchObject({
      text: expect.stringMatching(/makes `npm test` fail; it passes without the change[\s\S]*2 failed/),
    });
    expect(outcome).toMatchObject({ status: 'completed', produced: { draft: true } });
    expect(pulls().at(-1)!.body).toContain('- `npm test`: failed (exit code 1); it passes without this change');
  });

  it('F3 a change that mends its failure is published as usual', async () => {
    const npmTest: MemoryScript = ({ workdir }) => ({ exitCode: workdir === BASE_TREE || mended ? 0 : 1 });
    let mended = false;

    const { outcome } = await fix({
      script: [
        { ...calls('submit_result', RESULT), ...changing() },
        { ...calls('submit_result', RESULT), before: () => void (mended = true) },
      ],
      commands: { 'npm test': npmTest },
    });

    expect(outcome).toMatchObject({ produced: { draft: false }, verify: [{ exitCode: 0 }] });
  });

  it('F2 nothing of the session runs while its tree is verified, nor when it is read again', async () => {
    const order: string[] = [];

    await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing() }],
      commands: {
        [END_PROCESSES]: () => (order.push('end'), {}),
        'npm test': () => (order.push('verify'), {}),
      },
    });

    expect(order).toEqual(['end', 'verify', 'end']);
  });

  it('F2 where processes survive, nothing is verified and nothing published', async () => {
    const before = pulls().length;

    const { outcome, bash } = await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing() }],
      commands: { [END_PROCESSES]: { exitCode: 1 } },
    });

    expect(outcome).toMatchObject({ problem: { code: 'PROCESSES_SURVIVED' } });
    expect(bash.specs.map(({ command }) => command)).not.toContain('npm test');
    expect(pulls()).toHaveLength(before);
  });

  it('F2 what the verification itself writes is told and not published', async () => {
    const writes: MemoryScript = () => {
      bench.change('src/price.js', 'export const price = 777;\n');
      bench.change('coverage.txt', 'all\n');
      return {};
    };

    await fix({ script: [{ ...calls('submit_result', RESULT), ...changing() }], commands: { 'npm test': writes } });

    const pull = pulls().at(-1)!;
    expect(await bench.filesOf(pull.number)).toEqual(['src/price.js']);
    expect(await bench.patchOf(pull.number)).toContain('+export const price = 2;');
    expect(pull.body).toMatch(/The verification itself changed files; .*: coverage\.txt, src\/price\.js\./);
  });

  it('F2 F3 a failure with another output than on the base goes back, then becomes a draft that claims nothing', async () => {
    const npmTest: MemoryScript = ({ workdir }) => ({
      exitCode: 1,
      stdout: workdir === BASE_TREE ? '1 failed' : '2 failed',
    });

    const { outcome, model } = await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing() }, calls('submit_result', RESULT)],
      commands: { 'npm test': npmTest },
      config: { verify: { rounds: 1 } },
    });

    const note = model.requests[1]!.messages.at(-1)!.content[0];
    expect(note).toMatchObject({ text: expect.stringMatching(/another output[\s\S]*2 failed[\s\S]*1 failed/) });
    expect(outcome).toMatchObject({ produced: { draft: true } });
    const { body } = pulls().at(-1)!;
    expect(body).toContain('it also fails without this change');
    expect(body).not.toContain('the same way');
    expect(body).not.toContain('Fixes #');
  });

  it('F2 U4 where one command passes beside an old failure the issue is closed', async () => {
    await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing() }],
      commands: { lint: { exitCode: 1 }, 'npm test': {} },
      config: { verify: { commands: ['lint', 'npm test'] } },
    });

    expect(pulls().at(-1)!.body).toContain(`Fixes #${number}`);
  });

  it('F2 a failure that was there before holds nothing up, but where nothing passed no issue is closed', async () => {
    const { outcome, model } = await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing() }],
      commands: { 'npm test': { exitCode: 1 } },
    });

    expect(model.requests).toHaveLength(1);
    expect(outcome).toMatchObject({ produced: { draft: false }, verify: [{ exitCode: 1, failsOnBase: true }] });
    expect(pulls().at(-1)!.body).toContain('it fails the same way without this change');
    expect(pulls().at(-1)!.body).not.toContain('Fixes #');
  });

  it('F2 uses the configured commands, all of them', async () => {
    const { outcome } = await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing() }],
      commands: { 'make lint': {}, 'make check': {} },
      config: { verify: { commands: ['make lint', 'make check'] } },
    });

    expect(outcome.verify.map(({ command }) => command)).toEqual(['make lint', 'make check']);
  });

  describe('prompts', () => {
    it('PR54 a fix that ends without a result keeps its change as a draft that claims nothing', async () => {
      const { outcome } = await fix({
        script: [
          { ...says('I changed the price.'), ...changing() },
          says('It is done.'),
          says('I changed the price but could not check it.'),
        ],
      });

      const pull = pulls().at(-1)!;
      expect(outcome).toMatchObject({
        produced: { kind: 'pull-request', draft: true },
        summary: 'I changed the price but could not check it.',
      });
      expect(pull.body).not.toContain('Fixes #');
      expect(pull.body).toContain(`For #${number}.`);
    });

    it('PR52 only the outcome `fixed` closes the issue', async () => {
      await fix({ script: [{ ...calls('submit_result', { ...RESULT, outcome: 'partial' }), ...changing() }] });

      expect(pulls().at(-1)!.body).not.toContain('Fixes #');
      expect(pulls().at(-1)!.pull!.draft).toBe(true);
    });
  });

  it('P8 K2 no key reaches title, branch, body, commit message or progress, however it would be escaped', async () => {
    const said = {
      ...RESULT,
      title: `Use ${TOKEN}`,
      summary: `It was ${TOKEN} and ${KNOWN}.`,
      cause: KNOWN,
      notes: [TOKEN],
    };
    const script = [
      callsAll(
        ['bash', { command: `curl -H ${TOKEN}`, description: `call with ${KNOWN} ${'x'.repeat(80)} ${TOKEN}` }],
        ['todo_write', { todos: [{ content: `send ${TOKEN}`, status: 'in_progress' }] }],
      ),
      { ...calls('submit_result', said), ...changing(`src/${TOKEN}.js`, 'x\n') },
    ];

    const { outcome, surface } = await fix({ script, secrets: [KNOWN], request: `Use ${TOKEN} and ${KNOWN}` });

    const pull = pulls().at(-1)!;
    const commit = await bench.commitMessage(pull.pull!.head.ref);
    const told = [
      pull.title,
      pull.body,
      pull.pull!.head.ref,
      commit,
      surface.body,
      ...surface.drawn,
      JSON.stringify(outcome),
    ].join('\n');
    const readable = told.replaceAll(/\\|&#8203;|\u200b/g, '').toLowerCase();
    expect(readable).not.toContain('ghp_ab3');
    expect(readable).not.toContain('p@ss_word');
    expect(readable).not.toContain('ab3ab3');
  });

  it('P8 a file that holds a secret of ours is not published, and the result says so', async () => {
    const { outcome, surface } = await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing('key.txt', `key=${KNOWN}\n`) }],
      secrets: [KNOWN],
    });

    expect(outcome.produced).toEqual({ kind: 'nothing' });
    expect(surface.body).toContain('A file that holds a secret of this installation was left out.');
  });

  it('P8 a file whose name holds a secret of ours is not published, and its name is not told', async () => {
    const both = () => {
      bench.change(`src/${KNOWN}.txt`, 'x\n');
      bench.change('src/price.js', 'export const price = 8;\n');
    };

    const { surface } = await fix({
      script: [{ ...calls('submit_result', RESULT), before: both }],
      secrets: [KNOWN],
    });

    const { body, number } = pulls().at(-1)!;
    expect(await bench.filesOf(number)).toEqual(['src/price.js']);
    expect(body).toContain('A file that holds a secret of this installation was left out.');
    expect(body + surface.body).not.toContain(KNOWN);
  });

  it('U1 a change to a workflow is not pushed but given as a patch, the rest is published', async () => {
    const both = () => {
      bench.change('.github/workflows/ci.yml', 'on: push\n');
      bench.change('src/price.js', 'export const price = 9;\n');
    };

    const { outcome, surface } = await fix({ script: [{ ...calls('submit_result', RESULT), before: both }] });

    expect(outcome).toMatchObject({ produced: { kind: 'pull-request' } });
    expect(pulls().at(-1)!.body).toContain('Left out: .github/workflows/ci.yml');
    expect(await bench.filesOf(pulls().at(-1)!.number)).toEqual(['src/price.js']);
    expect(surface.body).toMatch(/```diff\n[\s\S]*\+on: push\n[\s\S]*```/);
  });

  it('U1 where nothing else changed the patch is the result', async () => {
    const { outcome, surface } = await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing('.github/workflows/ci.yml', 'on: push\n') }],
    });

    expect(outcome.produced).toEqual({ kind: 'nothing' });
    expect(surface.body).toContain('+on: push');
  });

  it('F5 reaching the steps ends the turn, logs it, publishes nothing and says which', async () => {
    const before = pulls().length;
    const bash = () => calls('bash', { command: 'git --version', description: 'look' });

    const { outcome, events, model } = await fix({
      script: [{ ...bash(), ...changing() }, bash(), bash(), calls('submit_result', RESULT)],
      config: { budget: { turn: { steps: 3 } } },
    });

    expect(model.requests).toHaveLength(3);
    expect(ofType(events, 'budget/stop')).toMatchObject([{ limit: 'steps', spent: 3, cap: 3 }]);
    expect(outcome).toMatchObject({
      status: 'stopped',
      problem: { code: 'BUDGET', message: expect.stringContaining('limit of 3 steps') },
    });
    expect(pulls()).toHaveLength(before);
  });

  it.each([
    ['tokens', { tokens: 30 }, 2],
    ['cost', { cost: 0.00001 }, 2],
  ] as const)('F5 reaching the %s ends the turn', async (_, turn, requests) => {
    const bash = () => calls('bash', { command: 'git --version', description: 'look' });

    const { outcome, model } = await fix({ script: [bash(), bash(), bash(), bash()], config: { budget: { turn } } });

    expect(model.requests).toHaveLength(requests);
    expect(outcome).toMatchObject({ status: 'stopped', problem: { code: 'BUDGET' } });
  });

  it('F5 what is published when the limit is reached stays a success', async () => {
    const { outcome } = await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing() }],
      config: { budget: { turn: { steps: 1 } } },
    });

    expect(outcome).toMatchObject({ status: 'completed', problem: undefined, produced: { kind: 'pull-request' } });
  });

  it('F5 a failed request is not tried again beyond the limit', async () => {
    const { outcome, model } = await fix({
      script: [fails('TRANSPORT'), fails('TRANSPORT'), fails('TRANSPORT')],
      config: { budget: { turn: { steps: 2 } } },
    });

    expect(model.requests).toHaveLength(2);
    expect(outcome).toMatchObject({ status: 'stopped', problem: { code: 'BUDGET' } });
  });

  it('F5 the minutes do not cut a verification and publication under way', async () => {
    const { outcome, events } = await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing() }],
      commands: { 'npm test': { durationMs: 1_500 } },
      config: { budget: { turn: { minutes: 0.01 } } },
    });

    expect(outcome).toMatchObject({ status: 'completed', problem: undefined, produced: { kind: 'pull-request' } });
    expect(ofType(events, 'budget/stop')).toEqual([]);
    expect(pulls().at(-1)!.body).toContain('- `npm test`: passed');
  });

  it('F5 the minutes end the turn after a verification that sends the model back', async () => {
    const before = pulls().length;

    const { outcome, events } = await fix({
      script: [{ ...calls('submit_result', RESULT), ...changing() }, hangs('thinking')],
      commands: { 'npm test': ({ workdir }) => (workdir === BASE_TREE ? {} : { exitCode: 1, durationMs: 1_500 }) },
      config: { budget: { turn: { minutes: 0.01 } } },
    });

    expect(outcome).toMatchObject({ status: 'stopped', problem: { code: 'BUDGET' } });
    expect(ofType(events, 'verify/result')).toHaveLength(2);
    expect(pulls()).toHaveLength(before);
  });

  it('F5 J3 the minutes end a model that says nothing', async () => {
    const { outcome, events } = await fix({
      script: [hangs('thinking')],
      config: { budget: { turn: { minutes: 0.002 } } },
    });

    expect(outcome).toMatchObject({
      status: 'stopped',
      problem: { code: 'BUDGET', message: expect.stringContaining('0.002 minutes') },
    });
    expect(ofType(events, 'budget/stop')).toMatchObject([{ limit: 'minutes' }]);
  });

  it('F5 more minutes than a timer can count are no limit at once', async () => {
    const { outcome } = await fix({
      script: [
        {
          ...calls('submit_result', { ...RESULT, outcome: 'nothing_to_do' }),
          before: () => new Promise((resolve) => setTimeout(resolve, 20)),
        },
      ],
      config: { budget: { turn: { minutes: 100_000 } } },
    });

    expect(outcome.status).toBe('completed');
  });

  it('J2 a refused model key ends the job at once, in plain words', async () => {
    const { outcome, model } = await fix({ script: [fails('AUTH')] });

    expect(model.requests).toHaveLength(1);
    expect(outcome).toMatchObject({
      status: 'failed',
      problem: {
        code: 'AUTH',
        message: expect.stringContaining('The model key was rejected'),
        hint: expect.any(String),
      },
    });
  });

  it('J4 an interruption stops the turn and is told', async () => {
    const controller = new AbortController();

    const { outcome, surface } = await fix({
      script: [{ ...hangs(), before: () => controller.abort() }],
      signal: controller.signal,
    });

    expect(outcome).toMatchObject({ status: 'stopped', problem: { code: 'INTERRUPTED' } });
    expect(surface.ending?.state).toBe('stopped');
  });
});
