import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { JobBench, NAME } from '../support/job-bench.ts';
import type { JobRun } from '../support/job-bench.ts';
import { RoleModel, textOf } from '../support/role-model.ts';

const RESULT = { outcome: 'nothing_to_do', title: 'x', summary: 's', cause: '', verification: [], notes: [] };
const tokens = ({ system, tools, messages }: GenerateOptions) =>
  Math.ceil(JSON.stringify({ system, tools, messages }).length / 4);
const words = (length: number) => 'ein Wort und noch eins. '.repeat(Math.ceil(length / 24)).slice(0, length);

/** Whatever people write and programs print, in tokens: what everybody has, and then each bound of docs/spec/prompts.md. */
const LARGEST = { all: 5_000, instructions: 8_300, tree: 1_100, body: 8_100, thread: 17_000, logs: 6_000 };

describe('prompts', () => {
  let bench: JobBench;
  beforeAll(async () => {
    const folders = Array.from({ length: 900 }, (_, n) => [`packages/package-number-${n}/index.js`, '\n'] as const);
    bench = await JobBench.start({ 'AGENTS.md': words(200_000), ...Object.fromEntries(folders) });
  });
  afterAll(() => bench.close());

  async function fix(number: number, more: object = {}): Promise<JobRun> {
    const script = [calls('submit_result', RESULT), says('Done.')];
    return bench.run({ job: 'fix', subject: { kind: 'issue', number }, script, ...more });
  }

  it('PR11 PR17 a first request has its bound, however long instructions, tree, body, thread and logs are', async () => {
    const { gitDir } = bench.github.state.repositories[0]!;
    const headSha = execFileSync('git', ['rev-parse', 'main'], { cwd: gitDir, encoding: 'utf8' }).trim();
    const failed = { name: 'ci', headSha, headBranch: 'main', conclusion: 'failure' };
    const run = await bench.github.finishWorkflowRun(NAME, {
      ...failed,
      jobs: [{ name: 'unit', log: words(900_000) }],
    });
    const link = `${bench.github.url}/${NAME}/actions/runs/${run.id}`;
    const body = `${link}\n${words(60_000)}`;
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'Long', body });
    for (let n = 0; n < 40; n += 1) await bench.github.comment(NAME, number, { by: 'tom', body: words(6_000) });

    const { model } = await fix(number);

    const size = tokens(model.requests[0]!);
    expect(size).toBeGreaterThan(30_000);
    expect(size).toBeLessThan(Object.values(LARGEST).reduce((sum, part) => sum + part, 0));
  });

  it('PR11 PR17 a reader of a diff gets a quarter of a small window, and the rest goes to others', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 4 }, (_, n) => [`src/part${n}.js`, `// ${words(10_000)}\n`] as const),
    );
    await bench.github.push(NAME, { by: 'maria', branch: 'wide', from: 'main', files });
    const pull = await bench.github.openPull(NAME, {
      by: 'maria',
      title: 'Wide',
      body: '',
      head: 'wide',
      base: 'main',
    });
    const model = new RoleModel([says('The first part.'), says('All parts are fine.')], {
      reader: () => calls('structured_output', { findings: [], summary: 'Fine.' }),
    });

    await bench.run({
      ...{ job: 'review', subject: { kind: 'pull', number: pull.number }, script: [], model },
      config: { workingWindow: 25_000 },
    });

    const diffOf = (request: GenerateOptions) =>
      /<data-\w+ kind="diff"[^>]*>\n([\s\S]*?)<\/data-/.exec(textOf(request))![1]!;
    const shown = [model.byRole.reviewer[0]!, ...model.byRole.reader].map((request) => diffOf(request).length);
    expect(shown.length).toBeGreaterThan(1);
    expect(Math.max(...shown)).toBeLessThan(26_000);
  });

  it('PR11 PR29 a step adds no more than its bound, whatever a command prints', async () => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'Short', body: 'It is wrong.' });
    const script = [
      ...Array.from({ length: 5 }, (_, n) => calls('bash', { command: `print ${n}`, description: 'look' })),
      calls('submit_result', RESULT),
    ];
    const commands = Object.fromEntries(script.map((_, n) => [`print ${n}`, { stdout: `${n} ${words(2_000_000)}\n` }]));

    const { model } = await fix(number, { script, commands });

    const sizes = model.requests.map(tokens);
    expect(sizes).toHaveLength(6);
    for (const [n, size] of sizes.slice(1).entries()) expect(size - sizes[n]!).toBeLessThan(5_000);
  });
});
