import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { calls, callsAll, hangs, says } from '../../support/scripted-model.ts';
import { JobBench, NAME } from '../support/job-bench.ts';
import type { JobCall } from '../support/job-bench.ts';

const TASK = { description: 'find the price', prompt: 'Where is the price?' };

describe('subagent', () => {
  let bench: JobBench;
  beforeAll(async () => {
    bench = await JobBench.start({ 'src/price.js': 'export const price = 1;\n' });
  });
  afterAll(() => bench.close());

  const ask = async (call: Partial<JobCall> & Pick<JobCall, 'script'>) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'Where?', body: 'The price.' });
    return bench.run({ job: 'ask', subject: { kind: 'issue', number }, config: { subagents: true }, ...call });
  };
  const toolsOf = ({ tools = [] }: GenerateOptions) => tools.map(({ name }) => name);
  const textsOf = ({ messages }: GenerateOptions) => JSON.stringify(messages);

  it('N1 N3 N4 explores for the model in the same tree, read-only, without a right to talk', async () => {
    const { outcome, model, bash, events } = await ask({
      script: [
        calls('subagent', TASK),
        calls('bash', { command: 'ls', description: 'look' }),
        says('src/price.js:1'),
        says('There.'),
      ],
      commands: { ls: { stdout: 'src' } },
    });

    expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'answer', text: 'There.' } });
    const [parent, child] = model.requests;
    expect(toolsOf(parent!)).toContain('subagent');
    expect(toolsOf(child!)).toEqual(['read', 'grep', 'glob', 'bash']);
    expect(textsOf(child!)).toContain('acme/shop');
    expect(textsOf(child!)).toContain('trusted');
    expect(textsOf(child!)).not.toContain('The price.');
    expect(child!.system).toContain('sees nothing of your work but your last text');
    expect(child!.system!.length / 4).toBeLessThanOrEqual(600);
    expect(JSON.stringify(child!.tools).length / 4).toBeLessThanOrEqual(1_200);
    expect(child!.system).not.toMatch(/publish|comment on|pull request/);
    const looked = bash.specs.find(({ command }) => command === 'ls')!;
    expect(looked).toMatchObject({ workdir: '/workspace', sandboxPolicy: { mode: 'read-only' } });
    expect(events.find(({ type }) => type === 'tool/result')).toMatchObject({
      data: { isError: false, content: [{ type: 'text', text: 'src/price.js:1' }] },
    });
  });

  it('N3 N5 is off unless configured, never part of a review, and one level deep', async () => {
    const off = await ask({ script: [says('Here.')], config: {} });
    expect(toolsOf(off.model.requests[0]!)).not.toContain('subagent');

    const on = await ask({ script: [calls('subagent', TASK), calls('subagent', TASK), says('no'), says('Here.')] });
    const [, child, again] = on.model.requests;
    expect(toolsOf(child!)).not.toContain('subagent');
    expect(JSON.stringify(again!.messages)).toContain('unknown tool');
  });

  it('N5 counts what a child spends as the turn’s own', async () => {
    const { outcome, events } = await ask({ script: [calls('subagent', TASK), says('there'), says('Here.')] });

    expect(outcome.tokens).toBe(45);
    const ended = events.find(({ type }) => type === 'subagent/ended');
    expect(ended).toMatchObject({ data: { spent: [{ usage: { inputTokens: 10, outputTokens: 5 } }] } });
  });

  it('N5 ends a child at the turn’s budget, and the turn with it', async () => {
    const { outcome, model } = await ask({
      script: [
        calls('subagent', TASK),
        calls('grep', { pattern: 'x' }),
        calls('grep', { pattern: 'y' }),
        says('never'),
      ],
      config: { subagents: true, budget: { turn: { tokens: 40 } } },
    });

    expect(outcome).toMatchObject({ status: 'stopped', problem: { code: 'BUDGET' } });
    expect(model.requests).toHaveLength(3);
    expect(outcome.tokens).toBe(45);
  });

  it('N7 ends the child with a job that is stopped', async () => {
    const controller = new AbortController();
    const { outcome, events } = await ask({
      script: [calls('subagent', TASK), { ...hangs(), before: () => void setTimeout(() => controller.abort(), 20) }],
      signal: controller.signal,
    });

    expect(outcome.status).toBe('stopped');
    const types = events.map(({ type }) => type);
    expect(events.findLast(({ type }) => type === 'subagent/ended')).toMatchObject({ data: { stopReason: 'aborted' } });
    expect(types.lastIndexOf('subagent/ended')).toBeLessThan(types.lastIndexOf('turn/end'));
    expect(types.filter((type) => type === 'tool/result')).toHaveLength(1);
  });

  it('N2 N3 N5 a fix has parts made side by side in trees of their own, within its budget, and takes them over by a step', async () => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'Two prices', body: 'Both are wrong.' });
    const part = (name: string) =>
      ['subagent_isolated', { description: name, prompt: `Mend ${name}.` }] as [string, unknown];
    let [left, taken]: string[][] = [];
    const patches = () =>
      bench.agent!.session.events.flatMap(({ type, data }) => (type === 'subagent/ended' ? (data.patch ?? []) : []));
    const trees = () => readdirSync(folder()).map((name) => join(folder(), name, 'tree'));
    const folder = () => join(bench.checkout!.mirror.settings.dataDir, 'setup/.trees');
    const writes = (name: string) => ({
      ...says(`${name} is mended`),
      before: ({ messages, sessionId }: GenerateOptions) => {
        const mine = /Mend (\w+)\./.exec(JSON.stringify(messages))![1]!;
        writeFileSync(join(bench.childTrees.get(sessionId!)!, `${mine}.new`), mine);
      },
    });
    const takes = (nth: number) => ({
      get chunks() {
        return calls('apply_subagent_patch', { patch: patches()[nth] }).chunks;
      },
    });
    const { outcome, model } = await bench.run({
      job: 'fix',
      subject: { kind: 'issue', number },
      config: { subagents: true, verify: { commands: [] } },
      script: [
        callsAll(part('one'), part('two')),
        writes('first'),
        writes('second'),
        takes(0),
        takes(1),
        {
          ...hangs(),
          before: () => {
            left = trees();
            taken = ['one', 'two'].map((name) => readFileSync(join(bench.checkout!.workTree, `${name}.new`), 'utf8'));
            throw new Error('enough');
          },
        },
      ],
    });

    const [parent, child] = model.requests;
    expect(toolsOf(parent!)).toEqual(expect.arrayContaining(['subagent', 'subagent_isolated', 'apply_subagent_patch']));
    expect(toolsOf(child!)).toEqual(['read', 'grep', 'glob', 'edit', 'write', 'bash']);
    expect(textsOf(child!)).toContain('acme/shop');
    expect(child!.system).not.toMatch(/pull request/);
    expect(left).toEqual([]);
    expect(taken).toEqual(['one', 'two']);
    expect(outcome.tokens).toBe(75);
  });
});
