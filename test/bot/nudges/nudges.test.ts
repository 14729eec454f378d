import { beforeAll, describe, expect, it } from '@jest/globals';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { calls, callsAll, reply, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import type { JobCall, JobRun } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

const RESULT = {
  outcome: 'nothing_to_do',
  title: 'Mend the price',
  summary: 'It is right.',
  cause: '',
  verification: [],
  notes: [],
};

const submits = () => calls('submit_result', RESULT);
const thinks = () => reply([{ type: 'reasoning', text: 'Hm.' }], { kind: 'stop' });
const look = (command = 'git --version') => calls('bash', { command, description: 'look' });
const times = (n: number, make: (i: number) => ScriptedReply) => Array.from({ length: n }, (_, i) => make(i));

describe('prompts', () => {
  const bench = useJobBench({ 'src/price.js': 'export const price = 1;\n' });
  beforeAll(async () => {
    await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong' });
  });

  const run = (script: readonly ScriptedReply[], more: Partial<JobCall> = {}) =>
    bench.run({ job: 'fix', subject: { kind: 'issue', number: 1 }, script, ...more });
  const kinds = ({ events }: JobRun) => events.flatMap((e) => (e.type === 'bot/nudge' ? [e.data.kind] : []));
  const lastText = ({ messages }: GenerateOptions) =>
    messages
      .at(-1)!
      .content.map((block) => (block.type === 'text' ? block.text : ''))
      .join('');

  describe('a job that is not ended', () => {
    it.each(['I will look at it now.', '我先看一下代码。', 'It is mended.', '已经修好了。'])(
      'PR36 PR62 text without a call is sent back, in the same words: %s',
      async (text) => {
        const ran = await run([says(text), submits()]);

        expect(kinds(ran)).toEqual(['open-job']);
        expect(lastText(ran.model.requests[1]!)).toBe(
          '<host-note>\nThe job is open, and text without a call ends nothing: make the next call now, or submit what there is.\n</host-note>',
        );
        expect(ran.outcome).toMatchObject({ status: 'completed', summary: 'It is right.' });
      },
    );

    it('PR36 PR54 two in a row are enough; then the last text is the result', async () => {
      const ran = await run(times(4, (i) => says(`Text ${i}.`)));

      expect(ran.model.requests).toHaveLength(3);
      expect(ran.outcome).toMatchObject({ status: 'completed', summary: 'Text 2.' });
    });

    it('PR36 with calls between them five a turn are enough', async () => {
      const script = times(12, (i) => (i % 2 === 0 ? says(`Text ${i}.`) : look(`echo ${i}`)));
      const ran = await run(script, {
        commands: Object.fromEntries(times(12, (i) => says(`${i}`)).map((_, i) => [`echo ${i}`, {}])),
      });

      expect(kinds(ran)).toEqual(Array(5).fill('open-job'));
      expect(ran.model.requests).toHaveLength(11);
    });

    it('PR36 thought alone is asked for the answer once, then the turn fails and posts none of it', async () => {
      const mended = await run([thinks(), submits()]);
      expect(kinds(mended)).toEqual(['no-answer']);

      const failed = await run([thinks(), thinks()]);
      expect(failed.outcome).toMatchObject({ status: 'failed', problem: { code: 'EMPTY_RESPONSE' } });
      expect(failed.surface.body).not.toContain('Hm.');
    });

    it.each([
      ['Let me look at the price module first.'],
      ['Now I will check the tests:'],
      ['好的，让我先看看代码。'],
      ['接下来我将检查测试：'],
    ])('PR36 an answer that only announces is asked for once: %s', async (text) => {
      const ran = await run([says(text), says(text)], { job: 'ask' });

      expect(kinds(ran)).toEqual(['announced']);
      expect(ran.outcome).toMatchObject({ produced: { kind: 'answer', text } });
    });

    it.each([
      ['The price is 1.'],
      ['Let me be plain: src/price.js:1 is wrong.'],
      ['Next, `price` is set twice.'],
      ['是的。'],
    ])('PR36 an answer that tells something stands: %s', async (text) => {
      expect(kinds(await run([says(text)], { job: 'ask' }))).toEqual([]);
    });
  });

  describe('calls that lead nowhere', () => {
    it('PR36 the same call with the same result is named at three and five, and ends the turn at eight', async () => {
      const ran = await run(times(9, () => look()));

      expect(kinds(ran)).toEqual(['repeated', 'repeated']);
      expect(lastText(ran.model.requests[3]!)).toContain('The last calls were the same');
      expect(lastText(ran.model.requests[5]!)).toContain('made 5 times in a row with the same result: bash {"command"');
      expect(ran.model.requests).toHaveLength(8);
      expect(ran.outcome).toMatchObject({
        status: 'failed',
        problem: { code: 'AGENT_STUCK', hint: expect.stringContaining('/dsh retry') },
      });
    });

    it('PR36 U8 what was changed before the turn was given up is kept', async () => {
      const script = times(8, (i) => ({ ...look(), before: () => i === 0 && bench.change('src/price.js', '2\n') }));

      const { outcome } = await run(script);

      expect(outcome).toMatchObject({ problem: { code: 'AGENT_STUCK' }, kept: { kind: 'snapshot' } });
    });

    it('PR36 a changed result breaks the row, the list of things to do does not', async () => {
      let n = 0;
      const changing = await run([...times(9, () => look('date')), submits()], {
        commands: { date: () => ({ stdout: String((n += 1)) }) },
      });
      expect(kinds(changing)).toEqual([]);

      const todo = calls('todo_write', { todos: [{ content: 'look', status: 'in_progress' }] });
      const listed = await run([look(), todo, look(), todo, look(), submits()]);
      expect(kinds(listed)).toEqual(['repeated']);
    });

    it('PR36 calls of one message count each', async () => {
      const input = { command: 'git --version', description: 'look' };
      const ran = await run([callsAll(['bash', input], ['bash', input], ['bash', input], ['bash', input]), submits()]);

      expect(kinds(ran)).toEqual(['repeated']);
    });

    it('PR36 two calls in turn are named after eight, and end the turn the second time', async () => {
      const commands = { a: { stdout: '1' }, b: { stdout: '2' } };
      const ran = await run(
        times(17, (i) => look(i % 2 === 0 ? 'a' : 'b')),
        { commands },
      );

      expect(kinds(ran)).toEqual(['alternating']);
      expect(ran.model.requests).toHaveLength(16);
      expect(ran.outcome).toMatchObject({ problem: { code: 'AGENT_STUCK' } });
    });

    it('PR36 three failed edits of one file bring a note, twice a file', async () => {
      const edit = (i: number) => calls('edit', { file_path: 'no.js', old_string: `a${i}`, new_string: 'b' });
      const ran = await run([...times(10, edit), submits()]);

      expect(kinds(ran)).toEqual(['failed-edits', 'failed-edits']);
      expect(lastText(ran.model.requests[3]!)).toContain('three edits of no.js failed');
    });
  });

  it('PR36 four fifths of a limit are told once', async () => {
    const ran = await run(
      times(10, (i) => look(`echo ${i}`)),
      {
        config: { budget: { turn: { steps: 10 } } },
        commands: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`echo ${i}`, {}])),
      },
    );

    expect(kinds(ran)).toEqual(['budget']);
    expect(lastText(ran.model.requests[8]!)).toContain('8 of 10 steps of this job are used.');
  });

  it('PR36 PR16 notes only ever extend what was sent', async () => {
    const { model } = await run([says('Hm.'), look(), look(), look(), says('Hm.'), submits()]);

    for (const [i, request] of model.requests.slice(1).entries()) {
      const before = model.requests[i]!;
      expect(request.messages.slice(0, before.messages.length)).toEqual(before.messages);
      expect(request.system).toBe(before.system);
    }
  });
});
