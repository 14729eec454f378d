import { describe, expect, it } from '@jest/globals';
import { calls, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

describe('hooks', () => {
  const bench = useJobBench({ 'src/price.js': 'export const price = 1;\n' });

  /** What the guard told the model in a job of these calls. */
  const advice = async (job: 'ask' | 'fix', script: readonly ScriptedReply[]) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'Why?', body: 'Hm.' });
    const subject = { kind: 'issue' as const, number };
    const { events } = await bench.run({ job, subject, script, commands: { ls: {}, 'ls -l': {} } });
    return events.flatMap((event) => {
      if (event.type !== 'context/message' || event.data.source.kind !== 'plugin') return [];
      if (event.data.source.plugin !== 'repeat-tool-guard') return [];
      return event.data.content.map((block) => ('text' in block ? block.text : ''));
    });
  };
  const bash = (command: string) => calls('bash', { command, description: 'look' });
  const todos = () => calls('todo_write', { todos: [{ content: 'look', status: 'in_progress' }] });

  it('a job that goes round in circles is told so, in every room', async () => {
    const told = await advice('ask', [bash('ls'), bash('ls -l'), bash('ls'), bash('ls'), bash('ls'), says('Because.')]);

    expect(told).toEqual([expect.stringContaining('The last 3 calls were the same')]);
  });

  it('saying again what is so is not going round in circles', async () => {
    const told = await advice('fix', [todos(), todos(), todos(), todos(), ...Array(3).fill(says('Because.'))]);

    expect(told).toEqual([]);
  });
});
