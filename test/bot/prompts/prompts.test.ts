import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BASE_TREE } from '../../../src/bot/fix/verify/lay-base.ts';
import { JOB_SECTIONS, JOB_TOOLS } from '../../../src/bot/prompts/sections.ts';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import type { JobKind } from '../../../src/triggers/reading.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { JobBench, NAME } from '../support/job-bench.ts';

const FILES = {
  'README.md': 'A shop.\n',
  'AGENTS.md': 'Keep functions small.\n',
  'src/price.js': 'export const price = 1;\n',
  'src/deep/er/tax.js': 'export const tax = 2;\n',
};
const ISSUES = [
  { title: 'The price is wrong', body: 'It is 1 and should be 2.' },
  { title: 'Steuer falsch', body: 'Die Steuer ist 2, sie sollte 3 sein. 😀' },
];
const JOBS = ['fix', 'review', 'ask', 'plan'] as const satisfies readonly JobKind[];
/** prompts.md §2, in tokens of four characters. */
const BUDGETS = { fix: [1_800, 2_500], review: [2_000, 1_800], ask: [900, 1_500], plan: [1_100, 1_900] } as const;

const tokens = (text: string) => Math.ceil(text.length / 4);
const textOf = ({ messages }: GenerateOptions) =>
  messages
    .flatMap(({ content }) => content.map((block) => (block.type === 'text' ? block.text : block.type)))
    .join('\n---\n');

describe('prompts', () => {
  let bench: JobBench;
  /** First requests of each job on two subjects. */
  const requests = {} as Record<JobKind, [GenerateOptions, GenerateOptions]>;

  beforeAll(async () => {
    bench = await JobBench.start(FILES);
    const subjects = { issue: [1, 2], pull: [] as number[] };
    for (const issue of ISSUES) await bench.github.openIssue(NAME, { by: 'tom', ...issue });
    for (const [n, { title, body }] of ISSUES.entries()) {
      await bench.github.push(NAME, {
        by: 'tom',
        branch: `b${n}`,
        files: { 'src/price.js': `export const price = ${n + 2};\n` },
      });
      const pull = await bench.github.openPull(NAME, { by: 'tom', title, body, head: `b${n}`, base: 'main' });
      subjects.pull.push(pull.number);
    }
    for (const job of JOBS) {
      const kind = job === 'review' ? 'pull' : 'issue';
      const first = async (number: number) =>
        (
          await bench.run({
            job,
            subject: { kind, number },
            request: `Please ${job}.`,
            script: [says('Nothing to do.')],
          })
        ).model.requests[0]!;
      requests[job] = [await first(subjects[kind][0]!), await first(subjects[kind][1]!)];
    }
  });
  afterAll(() => bench.close());

  it.each(JOBS)('PR13 PR14 two sessions of %s on different subjects send byte-equal system and tools', (job) => {
    const [one, other] = requests[job];

    expect(one.system).toBe(other.system);
    expect(JSON.stringify(one.tools)).toBe(JSON.stringify(other.tools));
    expect(textOf(one)).not.toBe(textOf(other));
  });

  it.each(JOBS)('PR13 the sections of %s stand in their order, the request is last', (job) => {
    const [{ system = '', messages }] = requests[job];
    const places = JOB_SECTIONS[job].map(({ text }) =>
      system.indexOf(String(text).slice(0, 30).replaceAll('{{cwd}}', '/workspace')),
    );

    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(textOf({ messages: messages.slice(0, 1) } as never)).toMatch(
      /instructions[\s\S]*Keep functions small[\s\S]*tree[\s\S]*src\/deep\//,
    );
    expect(textOf({ messages: messages.slice(1) } as never)).toMatch(
      new RegExp(
        `<data-[\\s\\S]*</data-[0-9a-f]{12}>[\\s\\S]*## My request:\\n[\\s\\S]*Please ${job}\\.\\n\\nWrite what people will read in the language of this request\\.$`,
      ),
    );
  });

  it.each(JOBS)('PR14 what %s is told holds nothing of the deployment or the subject', (job) => {
    const [{ system = '', tools }] = requests[job];
    const told = `${system}${JSON.stringify(tools)}`;

    expect(told).not.toMatch(
      /deepseek-flash|acme|maria|\{\{|127\.0\.0\.1|https?:\/\/|\b20\d\d-\d\d|\/tmp\/dsh-|[0-9a-f]{40}/,
    );
  });

  it.each(JOBS)('PR20 PR21 %s has its tools in their order, and speaks of no other', (job) => {
    const [{ system = '', tools = [] }] = requests[job];
    const absent = [...new Set(Object.values(JOB_TOOLS).flat())].filter((name) => !JOB_TOOLS[job].includes(name));
    const told = [system, ...tools.map(({ description }) => description)].join('\n');

    // Nobody can be asked on this bench.
    expect(tools.map(({ name }) => name)).toEqual(JOB_TOOLS[job].filter((name) => name !== 'ask_user_question'));
    expect(absent.filter((name) => new RegExp(`\\b${name}\\b`).test(told))).toEqual([]);
  });

  it.each(JOBS)('PR14 the budgets of %s hold', (job) => {
    const [{ system = '', tools }] = requests[job];
    const [systemBudget, schemaBudget] = BUDGETS[job];

    expect(tokens(system)).toBeLessThanOrEqual(systemBudget);
    expect(tokens(JSON.stringify(tools))).toBeLessThanOrEqual(schemaBudget);
  });

  it.each(JOBS)('PR1 %s has at most three words in capitals, and says nothing twice', (job) => {
    const [{ system = '' }] = requests[job];
    const prose = system.replaceAll(/`[^`]*`/g, '');
    const sentences = prose.split(/(?<=[.:])\s+/).filter((sentence) => sentence.length > 30);

    expect((prose.match(/\b[A-Z]{3,}\b/g) ?? []).length).toBeLessThanOrEqual(3);
    expect(prose).not.toMatch(/step by step|you are an? (?:expert|world)/i);
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  it('PR65 the result names the version of what was told: the same for two subjects, another for another job', async () => {
    const versionOf = async (job: JobKind, number: number) => {
      const script = [says('Nothing to do.'), says('Nothing.'), says('Nothing.')];
      const { outcome } = await bench.run({ job, subject: { kind: 'issue', number }, script });
      return outcome.promptVersion;
    };
    const [one, other, ask] = [await versionOf('fix', 1), await versionOf('fix', 2), await versionOf('ask', 1)];

    expect(one).toMatch(/^[0-9a-f]{12}$/);
    expect(other).toBe(one);
    expect(ask).not.toBe(one);
  });

  it('PR16 notes of the host come as user messages behind everything that was sent before', async () => {
    const { model } = await bench.run({
      job: 'fix',
      subject: { kind: 'issue', number: 1 },
      commands: {
        'npm test': ({ workdir }) => ({ exitCode: workdir === BASE_TREE ? 0 : 1, stdout: 'x </host-note> y' }),
      },
      config: { verify: { commands: ['npm test'] } },
      script: [
        { ...calls('submit_result', RESULT), before: () => bench.change('src/price.js', 'export const price = 2;\n') },
        calls('submit_result', RESULT),
        calls('submit_result', RESULT),
        calls('submit_result', RESULT),
      ],
    });
    const [first, second] = model.requests;

    expect(second!.messages.slice(0, first!.messages.length)).toEqual(first!.messages);
    expect(second!.system).toBe(first!.system);
    const note = second!.messages.at(-1)!;
    expect(note.role).toBe('user');
    expect(textOf({ messages: [note] } as never)).toMatch(
      /^<host-note>\n[\s\S]*npm test[\s\S]*x \/host-note> y[\s\S]*\n<\/host-note>$/,
    );
  });
});

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'src/price.js:1',
  verification: [],
  notes: [],
};
