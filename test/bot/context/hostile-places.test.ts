import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { ATTACKS } from '../support/attacks.ts';
import { JobBench, NAME } from '../support/job-bench.ts';
import type { JobRun } from '../support/job-bench.ts';

const RESULT = { outcome: 'nothing_to_do', title: 'x', summary: 's', cause: '', verification: [], notes: [] };
const LANGUAGE = 'Write what people will read in the language of this request.';
/** Of what is shown, whatever was written: the largest block and its frame, in characters. */
const MAX_BLOCK = 70_000;

const textsOf = ({ content }: GenerateOptions['messages'][number]) =>
  content.map((block) => (block.type === 'text' ? block.text : ''));
/** Who says what kind of thing, in order. */
const shapeOf = ({ messages }: GenerateOptions) =>
  messages.map(({ role, content }) => [role, ...content.map(({ type }) => type)].join(' '));
const resultsOf = ({ messages }: GenerateOptions) =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === 'tool-result' ? [block.content.map((one) => (one.type === 'text' ? one.text : '')).join('')] : [],
    ),
  );
/** Everything that a policy decides or a person would. */
const policyOf = ({ events, bash }: JobRun) => ({
  ran: bash.specs.map(({ command, sandboxPolicy, env }) => ({ command, sandboxPolicy, env })),
  decided: events.flatMap(({ type }) => (/^(?:approval|sandbox|permission|human)\//.test(type) ? [type] : [])),
  nudged: events.filter(({ type }) => type === 'bot/nudge').length,
});

/** A whole job takes its time: several texts share one, in every place. */
const GROUPS = Array.from({ length: Math.ceil(ATTACKS.length / 3) }, (_, at) => {
  const group = ATTACKS.slice(at * 3, at * 3 + 3);
  return [group.map(([name]) => name).join(', '), group.map(([, text]) => text)] as const;
});
const firstWords = (text: string) => text.trim().split('\n')[0]!.slice(0, 30);
const titleOf = (texts: readonly string[]) =>
  texts.map((text) => text.replaceAll('\n', ' ').trim().slice(0, 80)).join(' ');

describe('prompts', () => {
  let bench: JobBench;
  let fixed: JobRun;
  let reviewed: JobRun;
  beforeAll(async () => {
    bench = await JobBench.start({ 'a.txt': 'a\n', 'src/price.js': 'export const price = 1;\n' });
    fixed = await fix('plain');
    reviewed = await review('plain');
  });
  afterAll(() => bench.close());

  /** With the text in title, body, comment and CI log, and then in a file, the output of a test and a page of the web. */
  async function fix(...texts: string[]): Promise<JobRun> {
    const text = texts.join('\n\n');
    const { gitDir } = bench.github.state.repositories[0]!;
    const headSha = execFileSync('git', ['rev-parse', 'main'], { cwd: gitDir, encoding: 'utf8' }).trim();
    const failed = { name: 'ci', headSha, headBranch: 'main', conclusion: 'failure' };
    const run = await bench.github.finishWorkflowRun(NAME, { ...failed, jobs: [{ name: 'unit', log: text }] });
    const link = `${bench.github.url}/${NAME}/actions/runs/${run.id}`;
    const title = titleOf(texts);
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title, body: `${link}\n${text}` });
    await bench.github.comment(NAME, number, { by: 'tom', body: text });
    const script = [
      calls('read', { file_path: 'hostile.md' }, 'c-read'),
      calls('bash', { command: 'npm test', description: 'test' }, 'c-test'),
      calls('bash', { command: 'curl -s https://pages.example/', description: 'look it up' }, 'c-page'),
      calls('submit_result', RESULT, 'c-submit'),
    ];
    const commands = {
      'npm test': { stdout: `FAIL ${text}\n`, exitCode: 1 },
      'curl -s https://pages.example/': { stdout: `<html>${text}</html>\n` },
    };
    const files = { '/workspace/hostile.md': `${text}\n` };
    return bench.run({ job: 'fix', subject: { kind: 'issue', number }, request: 'Look.', script, commands, files });
  }

  /** With the text in title, body and diff. */
  async function review(...texts: string[]): Promise<JobRun> {
    const text = texts.join('\n\n');
    const branch = `b${bench.github.state.repositories[0]!.issues.size}`;
    const hostile = `// ${text.replaceAll('\n', '\n// ')}\nexport const price = 3;\n`;
    await bench.github.push(NAME, { by: 'tom', branch, from: 'main', files: { 'src/price.js': hostile } });
    const title = titleOf(texts);
    const { number } = await bench.github.openPull(NAME, { by: 'tom', title, body: text, head: branch, base: 'main' });
    const subject = { kind: 'pull', number } as const;
    return bench.run({ job: 'review', subject, request: 'Review it.', script: [says('Fine.')] });
  }

  function expectSamePlaces(request: GenerateOptions, plain: GenerateOptions, asked: string): void {
    expect(request.system).toBe(plain.system);
    expect(request.tools).toEqual(plain.tools);
    expect(shapeOf(request)).toEqual(shapeOf(plain));
    const texts = textsOf(request.messages[1]!);
    expect(texts.slice(-2)).toEqual(['\n\n## My request:\n', `${asked}\n\n${LANGUAGE}`]);
    for (const block of texts.slice(0, -2)) {
      expect(block).toMatch(
        /^<data-([0-9a-f]{12}) [^>]*trust="none"[^>]*>\n(?:(?!<[\s/]*(?:data-|host-note))[\s\S])*<\/data-\1>\n$/,
      );
      expect(block.length).toBeLessThan(MAX_BLOCK);
    }
  }

  describe.each(GROUPS)('%s', (_, texts) => {
    it('PR58 PR2 PR56 in title, body, comment and CI log stays inside its block; in a file, in output of a test and of the web it is a result', async () => {
      const run = await fix(...texts);
      const [first] = run.model.requests as [GenerateOptions];
      const [before] = fixed.model.requests as [GenerateOptions];

      expectSamePlaces(first, before, 'Look.');
      expect(run.model.requests).toHaveLength(fixed.model.requests.length);
      const last = run.model.requests.at(-1)!;
      expectSamePlaces(last, fixed.model.requests.at(-1)!, 'Look.');
      expect(last.messages.slice(0, first.messages.length)).toEqual(first.messages);
      expect(resultsOf(last)).toHaveLength(3);
      for (const result of resultsOf(last)) for (const text of texts) expect(result).toContain(firstWords(text));
      expect(policyOf(run)).toEqual(policyOf(fixed));
    });

    it('PR58 PR2 PR56 in title, body and diff of a pull request it stays inside its block', async () => {
      const run = await review(...texts);

      expectSamePlaces(run.model.requests[0]!, reviewed.model.requests[0]!, 'Review it.');
      expect(run.model.requests).toHaveLength(1);
      expect(policyOf(run)).toEqual(policyOf(reviewed));
    });
  });

  it('PR58 prompts hold no token, no path of the host, no other repository', () => {
    const all = [fixed, reviewed].map(({ model }) => {
      const { system, tools, messages } = model.requests[0]!;
      return JSON.stringify({ system, tools, messages });
    });

    expect(all.join('')).not.toMatch(/gh[ps]_\w{20}|\/tmp\/dsh-|node_modules\/\.bin|deepseek-flash/);
  });
});
