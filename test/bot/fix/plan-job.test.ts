import { describe, expect, it } from '@jest/globals';
import { createPlanJob } from '../../../src/bot/fix/plan-job.ts';
import type { JobRequest } from '../../../src/bot/job/job.ts';
import type { Workplace } from '../../../src/bot/job/job-kind.ts';
import { followUpFix } from '../../../src/intake/follow-up-fix.ts';
import type { Turn } from '../../../src/publish/progress/surface.ts';
import type { AskUserQuestionAnswerItem, AskUserQuestionRequest } from '../../../src/seams/user-interaction/types.ts';
import { UserInteractionError } from '../../../src/seams/user-interaction/user-interaction-error.ts';
import type { UserInteractionService } from '../../../src/seams/user-interaction/user-interaction-service.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { createToolBench } from '../../seams/tool-bench.ts';

const provenance = { provider: 'test', model: 'm' };
const PLAN = '# Goal\n\nMend the price in src/price.js:1.';

/** A plan turn whose person answers so; `undefined`: nobody can be asked. */
async function planning(answer: Omit<AskUserQuestionAnswerItem, 'id'> | undefined) {
  const bench = await createToolBench();
  const asked: AskUserQuestionRequest[] = [];
  const ask = async (request: AskUserQuestionRequest) => {
    if (!answer) throw new UserInteractionError('nobody is there', 'NO_PROVIDER');
    asked.push(request);
    return { answers: [{ id: 'plan', ...answer }] };
  };
  bench.ctx.provide('userInteraction', { ask } as unknown as UserInteractionService);
  const job = createPlanJob({ config: { pull: { base: undefined } } } as unknown as JobRequest);
  job.begin?.(bench.ctx, bench.agent);
  for (const tool of job.tools) bench.ctx.tools.register(tool);
  /** Calls the tool as the loop does: the log holds the call before it runs, and its result after. */
  const submit = async () => {
    const { session } = bench.agent;
    const input = { plan: PLAN };
    const call = { turn: 1, step: 1, callId: CallId('call-1'), name: 'submit_plan', arguments: JSON.stringify(input) };
    session.append('step/start', { turn: 1, step: 1 });
    const message = {
      turn: 1,
      step: 1,
      content: [{ type: 'tool-call', id: 'call-1', name: 'submit_plan' }],
      provenance,
    };
    session.append('assistant/message', message as never, { surfaceOp: 'append' });
    session.append('tool/call', call);
    const { content, isError } = await bench.call('submit_plan', input);
    session.append('tool/result', { turn: 1, step: 1, callId: call.callId, content, isError }, { surfaceOp: 'append' });
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  };
  return { submit, job, asked, conclude: () => job.conclude({ agent: bench.agent } as unknown as Workplace) };
}

describe('prompts', () => {
  it('PR51 PR36 a plan that is approved ends its turn, and is carried out as a fix that follows', async () => {
    const { submit, job, asked, conclude } = await planning({ selected: ['Approve'] });

    await submit();
    await conclude();

    expect(asked[0]!.questions).toMatchObject([
      { detail: PLAN, options: [{ label: 'Approve' }, { label: 'Keep planning' }] },
    ]);
    expect(job.isSubmitted).toBe(true);
    expect(job.result.produced).toEqual({ kind: 'plan', text: PLAN, approved: true });
    const turn = { job: 'plan', request: 'x', reading: { kind: 'command', cause: 'comment-1' } } as unknown as Turn;
    expect(followUpFix(turn, job.result)).toMatchObject({
      job: 'fix',
      request: 'Carry out the plan that was approved.',
      reading: { cause: 'comment-1-approved' },
    });
  });

  it.each([
    ['asks to keep planning', { selected: ['Keep planning'] }],
    ['says what to change', { selected: [], custom: 'Mind the tax.' }],
  ])('PR51 a person who %s is answered with another plan', async (_, answer) => {
    const { submit, job, conclude } = await planning(answer);

    const text = await submit();
    expect(JSON.parse(text)).toEqual({ answers: [{ id: 'plan', ...answer }] });
    expect(job.isSubmitted).toBe(false);

    await conclude();
    expect(job.result.produced).toEqual({ kind: 'plan', text: PLAN, approved: false });
    expect(followUpFix({} as Turn, job.result)).toBeUndefined();
  });

  it('PR54 where nobody can be asked the plan is posted, and asks for no approval', async () => {
    const { submit, job, conclude } = await planning(undefined);

    await submit();
    await conclude();

    expect(job.isSubmitted).toBe(true);
    expect(job.result.produced).toEqual({ kind: 'plan', text: PLAN, approved: false });
  });
});
