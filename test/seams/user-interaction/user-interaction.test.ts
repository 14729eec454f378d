import { describe, expect, it } from '@jest/globals';
import type { Agent, AgentHandle } from '../../../src/harness/agent/types.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { askUserQuestionTool } from '../../../src/seams/user-interaction/ask-user-question-tool.ts';
import { userInteraction } from '../../../src/seams/user-interaction/user-interaction-service.ts';
import type {
  AskUserQuestionAnswer,
  AskUserQuestionItem,
  AskUserQuestionRequest,
} from '../../../src/seams/user-interaction/types.ts';
import { calls, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, gate, settle, text, tool, typesOf } from '../../harness/agent/agent-bench.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';

const COLOURS: AskUserQuestionItem = {
  id: 'colour',
  question: 'Which colour?',
  options: [{ label: 'Red (Recommended)', description: 'warm' }, { label: 'Blue' }],
};
const ASK = calls('ask_user_question', { questions: [{ id: 'q', question: 'Why?' }] }, 'c-ask');

interface QuestionBench extends Bench {
  readonly handle: AgentHandle;
  readonly asked: AskUserQuestionRequest[];
  go(): Promise<void>;
}

async function questionBench(
  answer?: (request: AskUserQuestionRequest) => Promise<AskUserQuestionAnswer> | AskUserQuestionAnswer,
  script: ScriptedReply[] = [ASK, says('done')],
): Promise<QuestionBench> {
  const b = await bench(script);
  await b.ctx.plugin(userInteraction);
  await b.ctx.plugin(askUserQuestionTool, undefined);
  const asked: AskUserQuestionRequest[] = [];
  if (answer)
    b.ctx.userInteraction.registerProvider({ ask: async (request) => (asked.push(request), answer(request)) });
  const handle = await b.create();
  const go = async () => {
    handle.agent.send(text('go'));
    await handle.agent.whenIdle();
  };
  return { ...b, handle, asked, go };
}

const answers = (...given: AskUserQuestionAnswer['answers']) => ({ answers: given });
const resultOf = ({ handle }: QuestionBench) => eventsOf(handle.agent.session, 'tool/result')[0]!.data;
const resultText = (b: QuestionBench) =>
  resultOf(b)
    .content.map((block) => (block.type === 'text' ? block.text : ''))
    .join('');
const code = (name: string) =>
  expect.objectContaining({ name: 'UserInteractionError', code: name }) as unknown as Error;

describe('user-interaction', () => {
  it('B1 B14 the checks come in order, and a question that fails them reaches nobody', async () => {
    const b = await questionBench(() => answers({ id: 'q', selected: [], custom: 'x' }));
    const { userInteraction: service } = b.ctx;
    const aborted = AbortSignal.abort();
    const impostor = { ...b.handle.agent, id: b.handle.agent.id } as Agent;
    const twice = [COLOURS, COLOURS];

    await expect(service.ask({ questions: [], signal: aborted })).rejects.toEqual(code('ASK_ABORTED'));
    await expect(service.ask({ questions: [], agent: impostor })).rejects.toEqual(code('EMPTY_QUESTIONS'));
    await expect(service.ask({ questions: twice, agent: impostor })).rejects.toEqual(code('DUPLICATE_QUESTION_ID'));
    await expect(service.ask({ questions: [COLOURS], agent: impostor })).rejects.toEqual(code('CALLER_NOT_LIVE'));
    expect(b.asked).toEqual([]);

    const without = await questionBench();
    const child = { questions: [COLOURS], agent: { ...without.handle.agent } as Agent };
    await expect(without.ctx.userInteraction.ask(child)).rejects.toEqual(code('CALLER_NOT_LIVE'));
    await expect(without.ctx.userInteraction.ask({ questions: [COLOURS] })).rejects.toEqual(code('NO_PROVIDER'));
  });

  it('B14 P8 two options with one label cannot be told apart and are refused', async () => {
    const b = await questionBench(() => answers());
    const options = [{ label: 'Yes' }, { label: 'Yes' }];

    await expect(b.ctx.userInteraction.ask({ questions: [{ ...COLOURS, options }] })).rejects.toEqual(
      code('DUPLICATE_OPTION'),
    );
    expect(b.asked).toEqual([]);
  });

  it('B2 a second provider is refused and replaces nothing', async () => {
    const b = await questionBench(() => answers({ id: 'colour', selected: ['Blue'] }));
    const other = { ask: async () => answers() };

    expect(() => b.ctx.userInteraction.registerProvider(other)).toThrow(code('DUPLICATE_PROVIDER'));

    expect(await b.ctx.userInteraction.ask({ questions: [COLOURS] })).toEqual(
      answers({ id: 'colour', selected: ['Blue'] }),
    );
  });

  it('B3 a provider leaves with its disposer, more than once, and with its plugin', async () => {
    const b = await questionBench();
    const ask = async () => answers({ id: 'colour', selected: ['Blue'] });
    const dispose = b.ctx.userInteraction.registerProvider({ ask });
    await dispose();
    await dispose();
    await expect(b.ctx.userInteraction.ask({ questions: [COLOURS] })).rejects.toEqual(code('NO_PROVIDER'));

    const plugin = b.ctx.plugin(function surface(inner) {
      inner.userInteraction.registerProvider({ ask });
    });
    expect((await b.ctx.userInteraction.ask({ questions: [COLOURS] })).answers).toHaveLength(1);
    await plugin.dispose();
    await expect(b.ctx.userInteraction.ask({ questions: [COLOURS] })).rejects.toEqual(code('NO_PROVIDER'));
  });

  it.each<[string, boolean, AskUserQuestionAnswer['answers'][0], object | string]>([
    [
      'a text overrides a single choice',
      false,
      { id: 'colour', selected: ['Blue'], custom: 'green' },
      { id: 'colour', selected: [], custom: 'green' },
    ],
    [
      'two of a single choice are none',
      false,
      { id: 'colour', selected: ['Blue', 'Red (Recommended)'] },
      'INVALID_ANSWER',
    ],
    [
      'a text stands beside several ticks',
      true,
      { id: 'colour', selected: ['Blue'], custom: 'green' },
      { id: 'colour', selected: ['Blue'], custom: 'green' },
    ],
    [
      'several ticks',
      true,
      { id: 'colour', selected: ['Red (Recommended)', 'Blue'] },
      { id: 'colour', selected: ['Red (Recommended)', 'Blue'] },
    ],
    [
      'a blank text is none beside a choice',
      false,
      { id: 'colour', selected: ['Blue'], custom: '  \n' },
      { id: 'colour', selected: ['Blue'] },
    ],
    ['an index is no label', false, { id: 'colour', selected: ['1'] }, 'INVALID_ANSWER'],
    ['a shortened label is none', false, { id: 'colour', selected: ['Red'] }, 'INVALID_ANSWER'],
    ['an id that was not asked', false, { id: 'size', selected: [] }, 'INVALID_ANSWER'],
  ])('B4 B6 B13 P5 an answer is what was offered: %s', async (_case, multiSelect, given, expected) => {
    const b = await questionBench(() => answers(given));

    const asked = b.ctx.userInteraction.ask({ questions: [{ ...COLOURS, multiSelect }] });

    if (typeof expected === 'string') await expect(asked).rejects.toEqual(code(expected));
    else expect(await asked).toStrictEqual({ answers: [expected] });
  });

  it('B5 a skipped question keeps the rest of the answer', async () => {
    const given = answers({ id: 'colour', selected: ['Blue'] }, { id: 'why', selected: [] });
    const b = await questionBench(() => given);
    const questions = [COLOURS, { id: 'why', question: 'Why?' }];

    expect(await b.ctx.userInteraction.ask({ questions })).toStrictEqual(given);
    const doubled = await questionBench(() => answers(given.answers[0]!, given.answers[0]!));
    await expect(doubled.ctx.userInteraction.ask({ questions })).rejects.toEqual(code('INVALID_ANSWER'));
  });

  it('B13 P7 neither an option nor a text is no answer', async () => {
    const b = await questionBench(() => answers({ id: 'colour', selected: [], custom: ' ' }));

    await expect(b.ctx.userInteraction.ask({ questions: [COLOURS] })).rejects.toEqual(code('NO_ANSWER'));
  });

  it.each(['answer', 'failure'])(
    'B7 P6 aborted while it waits it is withdrawn at once; a late %s is dropped, and no listener is left',
    async (late) => {
      const { promise, resolve, reject } = gate<AskUserQuestionAnswer>();
      const b = await questionBench(() => promise);
      const stop = new AbortController();
      let listeners = 0;
      const add = stop.signal.addEventListener.bind(stop.signal);
      const remove = stop.signal.removeEventListener.bind(stop.signal);
      stop.signal.addEventListener = (...args: Parameters<typeof add>) => ((listeners += 1), add(...args));
      stop.signal.removeEventListener = (...args: Parameters<typeof remove>) => ((listeners -= 1), remove(...args));
      const asked = b.ctx.userInteraction.ask({ questions: [COLOURS], signal: stop.signal });

      stop.abort();

      await expect(asked).rejects.toEqual(code('ASK_ABORTED'));
      if (late === 'answer') resolve(answers({ id: 'colour', selected: ['Blue'] }));
      else reject(new Error('late'));
      await settle();
      expect(listeners).toBe(0);
    },
  );

  it('B8 N10 P1 a child that lives now is told to hand its question up; resumed as a root it may ask', async () => {
    const b = await questionBench(() => answers({ id: 'q', selected: [], custom: 'because' }), []);
    const parent = b.handle;
    const child = await parent.agent.ctx.agents.create({
      sessionId: 'child' as never,
      agentOptions: { provider: 'test', model: 'm1' },
      meta: { parentSession: parent.agent.id, delegationDepth: 1 },
    });
    b.model.add(ASK, says('done'));
    child.agent.send(text('go'));
    await child.agent.whenIdle();
    expect(eventsOf(child.agent.session, 'tool/result')[0]?.data).toMatchObject({
      isError: true,
      error: { name: 'UserInteractionError', code: 'DELEGATED_CALLER' },
    });
    expect(b.asked).toEqual([]);

    const { events } = child.agent.session;
    await child.dispose();
    const root = await b.create({
      sessionId: 'child' as never,
      seed: events,
      meta: { parentSession: parent.agent.id, delegationDepth: 1 },
    });
    b.model.add(ASK, says('done'));
    root.agent.send(text('go'));
    await root.agent.whenIdle();
    expect(b.asked).toHaveLength(1);
  });

  it('B9 a request without an agent reaches the provider, which may say that it cannot route it', async () => {
    const b = await questionBench(({ agent }) => {
      if (!agent) throw Object.assign(new Error('no agent'), { name: 'UserInteractionError', code: 'NO_AGENT' });
      return answers();
    });

    await expect(b.ctx.userInteraction.ask({ questions: [COLOURS] })).rejects.toMatchObject({ code: 'NO_AGENT' });
    expect(b.asked).toHaveLength(1);
  });

  it('B10 N10 nobody to ask is an error of the call, and the turn goes on', async () => {
    const b = await questionBench();

    await b.go();

    expect(resultOf(b)).toMatchObject({ isError: true, error: { name: 'UserInteractionError', code: 'NO_PROVIDER' } });
    expect(b.model.requests).toHaveLength(2);
    expect(ends(b.handle.agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('B11 the question is in the call and the answer in its result; waiting adds nothing to the log', async () => {
    const { promise, resolve } = gate<AskUserQuestionAnswer>();
    const b = await questionBench(() => promise);
    b.handle.agent.send(text('go'));
    while (b.asked.length === 0) await settle();
    const before = b.handle.agent.session.seq;
    await settle();
    expect(b.handle.agent.session.seq).toBe(before);
    expect(b.model.requests).toHaveLength(1);

    resolve(answers({ id: 'q', selected: [], custom: 'because' }));
    await b.handle.agent.whenIdle();

    expect(resultText(b)).toBe('{"answers":[{"id":"q","selected":[],"custom":"because"}]}');
    expect(typesOf(b.handle.agent.session).filter((type) => /ask|question|human/.test(type))).toEqual([]);
  });

  it('P3 P4 only declared fields go on, absent ones stay absent, and multi_select becomes multiSelect', async () => {
    const question = { id: 'q', question: 'Why?', multi_select: true, options: [{ label: 'A' }], header: 'H' };
    const b = await questionBench(
      () => answers({ id: 'q', selected: ['A'] }),
      [calls('ask_user_question', { questions: [question] }), says('done')],
    );

    await b.go();

    expect(b.asked[0]?.questions).toStrictEqual([
      { id: 'q', question: 'Why?', header: 'H', options: [{ label: 'A' }], multiSelect: true },
    ]);
    expect(b.asked[0]?.agent).toBe(b.handle.agent);
    expect(resultText(b)).toBe('{"answers":[{"id":"q","selected":["A"]}]}');
  });

  it('B12 the tool leaves with its plugin, and a call that waits ends through its signal', async () => {
    const b = await bench([ASK]);
    await b.ctx.plugin(userInteraction);
    const fiber = b.ctx.plugin(askUserQuestionTool, undefined);
    await fiber;
    b.ctx.userInteraction.registerProvider({ ask: () => new Promise<AskUserQuestionAnswer>(() => {}) });
    const handle = await b.create();
    handle.agent.send(text('go'));
    while (eventsOf(handle.agent.session, 'tool/call').length === 0) await settle();
    await settle();

    await fiber.dispose();
    expect(b.ctx.tools.knownNames()).not.toContain('ask_user_question');
    handle.agent.cancel();
    await handle.agent.whenIdle();

    expect(eventsOf(handle.agent.session, 'tool/result')[0]?.data.error?.code).toBe('ASK_ABORTED');
  });

  it('N5 parked while it waits, the question stays open and its answer becomes the result', async () => {
    const b = await questionBench(() => new Promise<AskUserQuestionAnswer>(() => {}));
    b.handle.agent.send(text('go'));
    while (b.asked.length === 0) await settle();

    const waitingFor = { kind: 'question', id: 'q_1' } as const;
    const { parked } = await b.handle.park({ waitingFor, callId: CallId('c-ask') });
    expect(parked).toBe(true);
    expect(eventsOf(b.handle.agent.session, 'tool/result')).toEqual([]);

    b.handle.resumeParked({
      trigger: { kind: 'message', source: { kind: 'plugin', plugin: 'answer' } },
      settle: () => ({ kind: 'result', content: text('{"answers":[]}') }),
    });
    await b.handle.agent.whenIdle();
    expect(resultText(b)).toBe('{"answers":[]}');
    expect(b.asked).toHaveLength(1);
  });

  it('the tool runs alone, and has no field for a value, a detail or a timeout', async () => {
    const b = await questionBench(() => answers({ id: 'q', selected: [], custom: 'x' }));
    b.ctx.tools.register(tool('other'));
    const input = { callId: CallId('x'), name: 'ask_user_question', arguments: { questions: [] } };
    const { signal } = new AbortController();
    expect(b.ctx.tools.executionMode(input)).toEqual({ kind: 'exclusive' });
    const schema = JSON.stringify(b.ctx.tools.get('ask_user_question')?.parameters);
    expect(schema).not.toMatch(/"(value|preview|recommended|detail|timeout\w*)":/);
    expect(b.ctx.tools.get('ask_user_question')?.timeoutMs).toBeUndefined();
    expect((await b.ctx.tools.execute({ ...input, signal })).error?.code).toBe('EMPTY_QUESTIONS');
  });
});
