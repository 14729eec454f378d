import { describe, expect, it } from '@jest/globals';
import { calls, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import type { MemoryScript } from '../../support/memory-bash.ts';
import { NAME } from '../support/job-bench.ts';
import type { JobRun } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'src/price.js:1',
  verification: [],
  notes: [],
};
const STOP = { hooks: { claude: { Stop: [{ hooks: [{ type: 'command' as const, command: 'may-stop' }] }] } } };

/** What the hook answers, in order; then it lets everything pass. */
function answering(...answers: { exitCode: number; stderr: string }[]): MemoryScript {
  return () => answers.shift() ?? {};
}

describe('hooks', () => {
  const bench = useJobBench({ 'src/price.js': 'export const price = 1;\n' });

  const run = async (
    mayStop: MemoryScript,
    script: readonly ScriptedReply[] = [submits(2), submits(3), submits(4), submits(5), submits(6)],
  ) => {
    const number = (await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong', body: 'It is 1.' }))
      .number;
    const subject = { kind: 'issue' as const, number };
    return bench.run({ job: 'fix', subject, script, commands: { 'may-stop': mayStop }, config: STOP });
  };
  const submits = (price: number) => ({
    ...calls('submit_result', RESULT),
    before: () => bench.change('src/price.js', `export const price = ${price};\n`),
  });
  const patchOf = ({ outcome: { produced } }: JobRun) =>
    produced.kind === 'pull-request' ? bench.patchOf(produced.number) : Promise.resolve('');

  it('H17 a Stop hook sees a submitted fix before it is published, and sends it back', async () => {
    const outcome = await run(answering({ exitCode: 2, stderr: 'the price must be 3' }));

    expect(await patchOf(outcome)).toContain('+export const price = 3;');
    expect(outcome.events.filter(({ type }) => type === 'publish/done')).toHaveLength(2);
    const steered = outcome.events.filter((event) => event.type === 'steering/message');
    expect(steered).toMatchObject([
      { data: { source: { kind: 'plugin', plugin: 'claude-hooks' }, content: [{ text: 'the price must be 3' }, {}] } },
    ]);
    expect(JSON.stringify(steered)).toContain('then submit it again');
  });

  it('H17 what was submitted before does not count after the hook: the model has to submit again', async () => {
    const outcome = await run(answering({ exitCode: 2, stderr: 'look again' }), [
      submits(2),
      calls('read', { path: '/workspace/src/price.js' }),
      ...Array.from({ length: 3 }, () => says('I looked.')),
    ]);

    expect(outcome.outcome.produced).toMatchObject({ kind: 'pull-request', draft: true });
    expect(outcome.model.requests).toHaveLength(5);
  });

  it('H17 it holds a fix up three times at most', async () => {
    const never = Array.from({ length: 9 }, () => ({ exitCode: 2, stderr: 'no' }));

    const outcome = await run(answering(...never));

    expect(await patchOf(outcome)).toContain('+export const price = 5;');
    expect(outcome.outcome.status).toBe('completed');
  });

  it('H17 a hook that agrees changes nothing', async () => {
    const outcome = await run(answering());

    expect(await patchOf(outcome)).toContain('+export const price = 2;');
    const hooks = outcome.events.filter(({ type }) => type === 'hook/result').map(({ seq }) => seq);
    const published = outcome.events.findIndex(({ type }) => type === 'publish/done');
    expect(hooks).toHaveLength(1);
    expect(hooks[0]).toBeLessThan(published);
  });
});
