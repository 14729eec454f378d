import { describe, expect, it } from '@jest/globals';
import { reportFindingTool } from '../../../src/bot/review/report-finding.ts';
import { submitResultTool } from '../../../src/bot/fix/submit-result.ts';
import type { SubmittedResult } from '../../../src/bot/fix/submit-result.ts';
import type { Finding } from '../../../src/publish/review/finding.ts';
import { callBlock } from '../../support/scripted-model.ts';
import { createToolBench } from '../../seams/tool-bench.ts';

const provenance = { provider: 'test', model: 'm' };
const RESULT = {
  outcome: 'fixed',
  title: 'Add up all units',
  summary: 'Durations add up.',
  cause: 'src/a.js:7',
  verification: [],
  notes: [],
};

async function submitBench() {
  const bench = await createToolBench();
  const accepted: SubmittedResult[] = [];
  bench.ctx.tools.register(
    submitResultTool({ review: async () => undefined, accept: (result) => void accepted.push(result) }),
  );
  const { session } = bench.agent;
  /** What the model's message held, so that the tool can see whether it stands alone. */
  const says = (calls: ReturnType<typeof callBlock>[]) => {
    session.append('step/start', { turn: 1, step: 1 });
    session.append('assistant/message', { turn: 1, step: 1, content: calls, provenance } as never, {
      surfaceOp: 'append',
    });
  };
  return { bench, accepted, session, says };
}

describe('prompts', () => {
  it('PR51 PR52 accepts a complete result', async () => {
    const { bench, accepted } = await submitBench();

    expect(await bench.text('submit_result', RESULT)).toBe('Accepted.');
    expect(accepted).toEqual([RESULT]);
  });

  it.each(Object.keys(RESULT))('PR52 refuses a result without %s', async (name) => {
    const { bench, accepted } = await submitBench();
    const { [name as 'title']: _left, ...rest } = RESULT;

    expect(await bench.failure('submit_result', rest)).toMatchObject({ code: 'INVALID_ARGS' });
    expect(accepted).toEqual([]);
  });

  it.each([
    ['a title of 73 characters', { title: 'x'.repeat(73) }, 'title has 73 characters — give a title of 1 to 72'],
    ['a blank title', { title: '  ' }, 'give a title of 1 to 72'],
    ['a blank summary', { summary: ' ' }, 'summary is empty — say what changes'],
  ])('PR52 refuses %s and says what to do', async (_, more, text) => {
    const { bench, accepted } = await submitBench();

    const failure = await bench.failure('submit_result', { ...RESULT, ...more });

    expect(failure).toMatchObject({ code: 'SUBMIT_REFUSED', text: expect.stringContaining(text) });
    expect(accepted).toEqual([]);
  });

  it('PR52 counts a title in characters, not in code units', async () => {
    const { bench } = await submitBench();

    expect(await bench.text('submit_result', { ...RESULT, title: '😀'.repeat(72) })).toBe('Accepted.');
  });

  it('PR52 refuses a call that does not stand alone in its message', async () => {
    const { bench, accepted, says } = await submitBench();
    says([callBlock('submit_result', RESULT, 'call-1'), callBlock('bash', {}, 'other')]);

    const failure = await bench.failure('submit_result', RESULT);

    expect(failure.text).toContain('call submit_result alone');
    expect(accepted).toEqual([]);
  });

  it('PR52 drops and names commands that this job never ran', async () => {
    const { bench, accepted, session } = await submitBench();
    const ran = (turn: number, command: string) => [
      session.append('step/start', { turn, step: 1 }),
      session.append(
        'assistant/message',
        { turn, step: 1, content: [callBlock('bash', { command }, `b${turn}`)], provenance } as never,
        { surfaceOp: 'append' },
      ),
      session.append('tool/call', {
        turn,
        step: 1,
        callId: `b${turn}`,
        name: 'bash',
        arguments: JSON.stringify({ command }),
      } as never),
      session.append('tool/result', { turn, step: 1, callId: `b${turn}`, content: [], isError: false } as never, {
        surfaceOp: 'append',
      }),
    ];
    ran(1, 'npm run lint');
    session.append('step/end', { turn: 1, step: 1 } as never);
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } } as never);
    session.append('turn/start', { turn: 2, trigger: { kind: 'message', source: { kind: 'user' } } });
    ran(2, ' npm test ');

    const entry = (command: string, outcome = 'passed') => ({ command, outcome });
    const verification = [entry('npm test'), entry('npm run lint'), entry('cargo test'), entry('make e2e', 'not_run')];
    const text = await bench.text('submit_result', { ...RESULT, verification });

    expect(text).toBe('Accepted. Left out of the report, because this job never ran them: npm run lint; cargo test.');
    expect(accepted[0]?.verification).toEqual([entry('npm test'), entry('make e2e', 'not_run')]);
  });

  it('PR52 keeps at most five notes', async () => {
    const { bench, accepted } = await submitBench();

    await bench.text('submit_result', { ...RESULT, notes: ['1', '2', '3', '4', '5', '6'] });

    expect(accepted[0]?.notes).toEqual(['1', '2', '3', '4', '5']);
  });
});

describe('bot-review', () => {
  const FINDING = {
    path: 'a.js',
    side: 'RIGHT',
    startLine: 2,
    endLine: 3,
    severity: 'major',
    confidence: 0.9,
    title: 'It breaks',
    body: 'When x, y.',
    scenario: 'x = 1 gives 2.',
    evidence: 'traced',
    proof: 'src/a.js:2',
  };

  async function findingBench() {
    const bench = await createToolBench();
    const reported: Finding[] = [];
    bench.ctx.tools.register(reportFindingTool(new Set(['src/a.js']), (finding) => reported.push(finding)));
    return { bench, reported };
  }

  it('R3 takes a finding, and swaps lines that are the wrong way round', async () => {
    const { bench, reported } = await findingBench();

    expect(await bench.text('report_finding', FINDING)).toBe('Noted: It breaks');
    await bench.text('report_finding', { ...FINDING, startLine: 9, endLine: 4, code: 'a', suggestion: 'b' });

    expect(reported).toMatchObject([FINDING, { startLine: 4, endLine: 9, code: 'a', suggestion: 'b' }]);
  });

  it.each([
    ['line 0', { startLine: 0 }, 'startLine'],
    ['half a line', { endLine: 2.5 }, 'endLine'],
    ['a confidence above 1', { confidence: 7 }, 'confidence'],
    ['a blank title', { title: ' ' }, 'title'],
    ['a title that is a paragraph', { title: 'x'.repeat(200) }, 'title: say what goes wrong in at most 80 characters'],
    ['a blank body', { body: '' }, 'body'],
    ['no path', { path: '' }, 'path'],
  ])('R3 refuses %s by name', async (_, more, text) => {
    const { bench, reported } = await findingBench();

    const failure = await bench.failure('report_finding', { ...FINDING, ...more });

    expect(failure).toMatchObject({ code: 'INVALID_FINDING', text: expect.stringContaining(text) });
    expect(failure.text).toContain('report the finding again');
    expect(reported).toEqual([]);
  });

  it.each([{ side: 'BOTH' }, { severity: 'critical' }, { startLine: '2' }])(
    'R3 refuses %j as arguments',
    async (more) => {
      const { bench, reported } = await findingBench();

      expect(await bench.failure('report_finding', { ...FINDING, ...more })).toMatchObject({ code: 'INVALID_ARGS' });
      expect(reported).toEqual([]);
    },
  );
});
