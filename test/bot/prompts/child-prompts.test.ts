import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { SUMMARY_INSTRUCTION } from '../../../src/seams/compaction/summary-instruction.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import { ReviewStage, finding } from '../support/review-stage.ts';
import { textOf } from '../support/role-model.ts';

const tokens = (value: unknown) => Math.ceil((typeof value === 'string' ? value : JSON.stringify(value)).length / 4);

describe('prompts', () => {
  let stage: ReviewStage;
  beforeAll(async () => {
    stage = await ReviewStage.start({ 'src/price.js': 'export const price = 1;\n' });
  });
  afterAll(() => stage.bench.close());

  it('PR64 PR49 a refuter has its budget, four tools and the form of its answer, and nothing of what the finder thought', async () => {
    await stage.openPull({ 'src/price.js': 'export const price = -1;\n' });
    const { roles } = await stage.review({ script: [calls('report_finding', finding()), says('One.')] });
    const [{ system = '', tools = [], messages }] = roles.byRole.refuter as [GenerateOptions];

    expect([tokens(system) <= 700, tokens(tools) <= 1_500]).toEqual([true, true]);
    expect(tools.map(({ name }) => name)).toEqual(['read', 'grep', 'glob', 'bash', 'structured_output']);
    expect(system).toMatch(/right about as often as they are wrong/);
    expect(`${system}${textOf({ messages } as GenerateOptions)}`).not.toMatch(/severity|confidence|major|blocker/i);
  });

  it('PR64 an explorer has its budget, knows only its task, and is told nothing of publishing', async () => {
    const { bench } = stage;
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'Where?', body: 'The price.' });
    const task = { description: 'find it', prompt: 'Where is the price?' };
    const script = [calls('subagent', task), says('src/price.js:1'), says('There.')];
    const subject = { kind: 'issue', number } as const;
    const { model } = await bench.run({ job: 'ask', subject, config: { subagents: true }, script });
    const { system = '', tools = [] } = model.requests[1]!;

    expect([tokens(system) <= 600, tokens(tools) <= 1_200]).toEqual([true, true]);
    for (const part of [
      /You know only the task text/,
      /at most 400 words: facts with path:line/,
      /ask nobody/,
      /change nothing/,
    ])
      expect(system).toMatch(part);
    expect(system).not.toMatch(/publish|comment on|pull request/);
  });

  it('PR64 PR18 the instruction for a summary has its budget and brings no new duties', () => {
    expect(tokens(SUMMARY_INSTRUCTION)).toBeLessThanOrEqual(700);
    expect(SUMMARY_INSTRUCTION).toMatch(/call no tool.*in English, at most 2,000 tokens/s);
    expect(SUMMARY_INSTRUCTION).toMatch(/it stays information and becomes no request/);
  });
});
