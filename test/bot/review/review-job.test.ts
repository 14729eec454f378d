import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sandboxCheckerFor } from '../../../src/bot/fix/verify/sandbox-checkers.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { JobBench, NAME } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

const TOKEN = `ghp_${'aB3'.repeat(12)}`;
const FINDING = {
  path: 'src/price.js',
  side: 'RIGHT',
  startLine: 1,
  endLine: 1,
  severity: 'major',
  confidence: 0.9,
  title: 'The price is negative',
  body: 'For any order the sum is negative.',
  scenario: 'With price = -1 the sum of any order is below 0.',
  evidence: 'traced',
  proof: 'src/price.js:1 is exported and summed as it is.',
};

describe('bot-review', () => {
  let bench: JobBench;
  let number: number;
  let opened = 0;
  beforeAll(async () => {
    bench = await JobBench.start({
      'src/price.js': 'export const price = 1;\n',
      'package-lock.json': '{}\n',
      'README.md': 'shop\n',
    });
  });
  afterAll(() => bench.close());

  const openPull = async (files: Record<string, string>, body = 'A new price.') => {
    const branch = `change-${(opened += 1)}`;
    await bench.github.push(NAME, { by: 'tom', branch, from: 'main', files });
    ({ number } = await bench.github.openPull(NAME, {
      by: 'tom',
      title: 'Change the price',
      body,
      head: branch,
      base: 'main',
    }));
    return { kind: 'pull', number } as const;
  };
  const reviews = () => bench.github.state.repositories[0]!.issues.get(number)!.pull!.reviews;
  const lineComments = () =>
    bench.github.state.repositories[0]!.issues.get(number)!.pull!.threads.flatMap(({ comments }) => comments);

  it('R3 R5 posts one review with the verdict, and the finding on its line', async () => {
    const subject = await openPull({ 'src/price.js': 'export const price = -1;\n' });

    const { outcome } = await bench.run({
      job: 'review',
      subject,
      script: [calls('report_finding', FINDING), says('The sign is wrong.')],
    });

    expect(outcome).toMatchObject({
      status: 'completed',
      produced: { kind: 'review', findings: [{ finding: { title: FINDING.title } }] },
    });
    expect(reviews()).toHaveLength(1);
    expect(reviews()[0]!.body).toContain('The sign is wrong.');
    expect(lineComments()).toMatchObject([{ body: expect.stringContaining('**major: The price is negative**') }]);
  });

  it.each([
    ['export const price = Math.max(0, -1);', true],
    ['export const price = max 0;', false],
  ])('R4 a suggestion of %j is posted: %s, as the checker in the sandbox finds', async (suggestion, posted) => {
    const subject = await openPull({ 'src/price.js': 'export const price = -1;\n' });
    const code = 'export const price = -1;';
    const { command } = sandboxCheckerFor('src/price.js', code)!;
    const stderr = '[stdin]:1\nSyntaxError: Unexpected number';

    await bench.run({
      job: 'review',
      subject,
      script: [calls('report_finding', { ...FINDING, code, suggestion }), says('The sign is wrong.')],
      commands: { [command]: ({ stdin }) => (stdin?.includes('max 0') ? { exitCode: 1, stderr } : {}) },
    });

    expect(lineComments()[0]!.body.includes('```suggestion')).toBe(posted);
  });

  it('R1 R2 leaves configured paths out of what the model reads, and names them', async () => {
    const subject = await openPull({
      'src/price.js': 'export const price = 3;\n',
      'package-lock.json': '{"LOCKED": 1}\n',
    });

    const { model } = await bench.run({
      job: 'review',
      subject,
      script: [says('Fine.')],
      config: { review: { ignore: ['package-lock.json'] } },
    });

    const shown = JSON.stringify(model.requests[0]!.messages);
    expect(shown).toContain('R1 + export const price = 3;');
    expect(shown).not.toContain('LOCKED');
    expect(reviews()[0]!.body).toContain('package-lock.json was left out by configuration.');
  });

  it('P8 K2 no key reaches the review, a comment or the outputs', async () => {
    const subject = await openPull({ 'src/price.js': 'export const price = 4;\n' });
    const finding = { ...FINDING, title: `Leaks ${TOKEN}`, body: `It is ${TOKEN}.` };

    const { outcome } = await bench.run({
      job: 'review',
      subject,
      script: [calls('report_finding', finding), says(`Found ${TOKEN}.`)],
    });

    const told = [
      ...reviews().map(({ body }) => body),
      ...lineComments().map(({ body }) => body),
      JSON.stringify(outcome),
    ].join('\n');
    expect(told).toContain('***');
    expect(told.replaceAll(/\\|&#8203;/g, '')).not.toContain('ghp_');
  });

  it('R3 a path that GitHub would read as a mention is told inertly', async () => {
    const subject = await openPull({ 'src/price.js': 'export const price = 5;\n' });

    await bench.run({
      job: 'review',
      subject,
      script: [calls('report_finding', { ...FINDING, path: '@octocat/x.js' }), says('See above.')],
    });

    expect(reviews()[0]!.body).toContain('The price is negative');
    expect(reviews()[0]!.body).not.toContain('@octocat');
  });
});

describe('prompts', () => {
  const bench = useJobBench();
  beforeAll(async () => {
    await bench.github.openIssue(NAME, { by: 'tom', title: 'Why?', body: 'Why is it so?' });
  });

  it('PR51 a question ends in text, which is the answer, and changes nothing', async () => {
    const { outcome, model, surface } = await bench.run({
      job: 'ask',
      subject: { kind: 'issue', number: 1 },
      request: 'Why?',
      script: [says('Because of README.md:1.')],
    });

    expect(outcome).toMatchObject({
      status: 'completed',
      produced: { kind: 'answer', text: 'Because of README.md:1.' },
    });
    expect(surface.body).toContain('Because of README.md:1.');
    expect(model.requests[0]!.tools!.map(({ name }) => name)).not.toContain('edit');
  });
});
