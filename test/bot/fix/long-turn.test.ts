import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEEPSEEK } from '../../../src/models/dialect.ts';
import { RequestWriter } from '../../../src/models/request-body.ts';
import { callBlock, calls, reply, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { JobBench, NAME } from '../support/job-bench.ts';

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'a.txt:1',
  verification: [],
  notes: [],
};
const STEPS = 200;

describe('prompts', () => {
  let bench: JobBench;
  beforeAll(async () => {
    bench = await JobBench.start({ 'a.txt': 'a\n', 'package.json': '{ "scripts": { "test": "x" } }\n' });
    await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong' });
  });
  afterAll(() => bench.close());

  const bash = (command: string) => calls('bash', { command, description: 'look' });
  const person = {
    kind: 'github',
    actor: 'maria',
    association: 'MEMBER',
    permission: 'write',
    url: '',
    trusted: true,
  } as const;

  /** Everything that can happen between two requests of one turn. */
  function step(n: number): ScriptedReply {
    if (n === STEPS - 2) return { ...calls('submit_result', RESULT), before: () => bench.change('a.txt', 'b\n') };
    if (n >= STEPS - 1) return calls('submit_result', RESULT);
    if (n % 40 === 7) return says('I will look at it now.'); // a nudge
    if (n % 40 === 13) return calls('no_such_tool', { x: n });
    if (n % 40 === 17) return reply([callBlock('bash', '{"command": ', `broken-${n}`)], { kind: 'tool-calls' });
    if (n % 40 >= 20 && n % 40 < 23) return bash('git --version'); // three times the same: a note
    if (n % 40 === 30)
      return reply(
        [{ type: 'reasoning', text: `thought ${n}` }, callBlock('bash', { command: `run ${n}`, description: 'x' })],
        { kind: 'tool-calls' },
      );
    const steer = () => bench.agent!.steer([{ type: 'text', text: `Mind the tax (${n}).` }], { source: person });
    return { ...bash(`run ${n}`), ...(n % 40 === 35 && { before: steer }) };
  }

  it('PR15 PR10 B18 a turn of 200 steps with nudges, steering, failing tools and a gate extends each request by bytes only', async () => {
    const commands = Object.fromEntries(
      Array.from({ length: STEPS }, (_, n) => [`run ${n}`, { stdout: `output ${n}\n`, exitCode: n % 9 === 0 ? 1 : 0 }]),
    );

    const { model, outcome, events } = await bench.run({
      job: 'fix',
      subject: { kind: 'issue', number: 1 },
      script: Array.from({ length: STEPS + 10 }, (_, n) => step(n)),
      commands: { ...commands, 'npm test': {} },
      config: { selfReview: { rounds: 3 }, budget: { turn: { steps: 1_000 } } },
    });

    expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'pull-request' } });
    expect(model.requests.length).toBeGreaterThanOrEqual(STEPS);
    expect(events.filter(({ type }) => type === 'bot/nudge').length).toBeGreaterThan(5);
    expect(events.filter(({ type }) => type === 'steering/message').length).toBeGreaterThan(5);
    const writer = new RequestWriter(DEEPSEEK);
    const bodies = model.requests.map((request) => writer.write(request));
    for (const [n, body] of bodies.slice(1).entries()) {
      const before = bodies[n]!;
      expect(body.length).toBeGreaterThan(before.length);
      expect(body.startsWith(before.slice(0, before.lastIndexOf(']')))).toBe(true);
    }
  });
});
