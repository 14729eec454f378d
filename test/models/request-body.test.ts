import { describe, expect, it } from '@jest/globals';
import { calls, says } from '../../src/demo/model/reply.ts';
import { BlockAssembler } from '../../src/harness/llm/block-assembler.ts';
import { CallId } from '../../src/harness/llm/types.ts';
import type { ContentBlock, GenerateOptions, Message } from '../../src/harness/llm/types.ts';
import { deepFreeze } from '../../src/harness/session/deep-freeze.ts';
import { COMPATIBLE, DEEPSEEK, dialectFor, OPENAI } from '../../src/models/dialect.ts';
import type { Dialect, ThinkingEffort } from '../../src/models/dialect.ts';
import { RequestWriter } from '../../src/models/request-body.ts';
import { ask, collect, collectFailing, user, Wire } from './adapter-fixture.ts';

interface WireBody extends Record<string, unknown> {
  messages: { role: string; content: unknown; tool_calls?: { function: { arguments: string } }[] }[];
  tools?: { function: object }[];
}

function body(options: Partial<GenerateOptions>, dialect: Dialect = DEEPSEEK, thinking?: ThinkingEffort): WireBody {
  return JSON.parse(new RequestWriter(dialect, thinking).write(ask(options))) as WireBody;
}

function assistant(...content: ContentBlock[]): Message {
  return { role: 'assistant', content };
}

const reasoning: ContentBlock = { type: 'reasoning', text: 'hm\n é' };
const call: ContentBlock = { type: 'tool-call', id: CallId('c1'), name: 'bash', arguments: '{"command": "ls" }' };
const result = (text: string): ContentBlock => ({
  type: 'tool-result',
  toolCallId: CallId('c1'),
  content: text === '' ? [] : [{ type: 'text', text }],
});
const tools = [{ name: 'bash', description: 'runs', parameters: { type: 'object', properties: {} } }];

describe('llm-streaming', () => {
  it('L21 the content of an assistant message is a text, never null', () => {
    const { messages } = body({ messages: [user('a'), assistant(reasoning), assistant(), assistant(reasoning, call)] });

    expect(messages.slice(1).map((message: { content: unknown }) => message.content)).toEqual(['', '', '']);
  });

  it('L21 each tool result is a message of its own, after the text beside it', () => {
    const both: Message = { role: 'user', content: [result(''), { type: 'text', text: 'note' }, result('out')] };

    expect(body({ messages: [assistant(call), both] }).messages.slice(1)).toEqual([
      { role: 'user', content: 'note' },
      { role: 'tool', tool_call_id: 'c1', content: '(no output)' },
      { role: 'tool', tool_call_id: 'c1', content: 'out' },
    ]);
  });

  it('L21 unknown blocks are skipped, and a message of nothing else is left out', () => {
    const unknown = { type: 'image', url: 'x' } as unknown as ContentBlock;

    const { messages } = body({
      messages: [
        { role: 'user', content: [unknown] },
        { role: 'user', content: [unknown, { type: 'text', text: 'a' }] },
      ],
    });

    expect(messages).toEqual([{ role: 'user', content: 'a' }]);
  });

  it('L21 optional fields are left out, not null', () => {
    const text = new RequestWriter(COMPATIBLE).write(ask({ tools: [], stop: [], system: '' }));

    expect(Object.keys(JSON.parse(text))).toEqual(['model', 'stream', 'stream_options', 'messages']);
    expect(text).not.toContain('null');
  });

  it('L6 arguments go back byte for byte', () => {
    expect(body({ messages: [assistant(call)] }).messages[0]!.tool_calls).toEqual([
      { id: 'c1', type: 'function', function: { name: 'bash', arguments: '{"command": "ls" }' } },
    ]);
  });
});

describe('prompts', () => {
  it('PR15 a request without its closing bytes is the beginning of the next', () => {
    const writer = new RequestWriter(DEEPSEEK);
    const history: Message[] = [user('fix it')];
    let before = '';

    for (let step = 0; step < 200; step++) {
      const options = deepFreeze(ask({ system: 'be good', tools, maxTokens: 65_536, messages: [...history] }));
      const text = writer.write(options);
      expect(text.startsWith(before)).toBe(true);
      expect(JSON.parse(text).messages).toHaveLength(history.length + 1);
      before = text.slice(0, -2);
      const text2 = step % 7 === 0 ? [user('a note')] : [];
      history.push(
        deepFreeze(assistant(reasoning, call)),
        deepFreeze({ role: 'user', content: [result(`${step}`)] }),
        ...text2,
      );
    }
  });

  it('PR15 another process writes the same bytes', () => {
    const options = ask({
      system: 's',
      tools,
      messages: [user('a'), assistant(reasoning, call), { role: 'user', content: [result('x')] }],
    });

    expect(new RequestWriter(DEEPSEEK).write(deepFreeze(structuredClone(options)))).toBe(
      new RequestWriter(DEEPSEEK).write(options),
    );
  });

  it('PR15 keys have a fixed order and messages come last', () => {
    const { provider, model, ...rest } = ask({ stop: ['END'], maxTokens: 9, tools, temperature: 1 });
    const text = new RequestWriter(COMPATIBLE, 'off').write({ ...rest, model, provider });

    expect(Object.keys(JSON.parse(text))).toEqual([
      'model',
      'stream',
      'stream_options',
      'max_tokens',
      'temperature',
      'stop',
      'tools',
      'messages',
    ]);
  });

  it('PR15 a message somebody changes between two requests is written anew', () => {
    const writer = new RequestWriter(DEEPSEEK);
    const message = user('first');
    writer.write(ask({ messages: [message] }));

    message.content = [{ type: 'text', text: 'second' }];

    expect(writer.write(ask({ messages: [message] }))).toContain('second');
  });

  it('PR59 thinking is on at high effort and sends no sampling values', () => {
    const sent = body({ temperature: 0.7, tools });

    expect(sent).toMatchObject({ thinking: { type: 'enabled' }, reasoning_effort: 'high' });
    for (const field of [
      'temperature',
      'top_p',
      'tool_choice',
      'response_format',
      'presence_penalty',
      'frequency_penalty',
    ]) {
      expect(sent).not.toHaveProperty(field);
    }
    expect(sent.tools![0]!.function).not.toHaveProperty('strict');
  });

  it('PR59 the effort is configurable, titles do not think, and without thinking DeepSeek gets temperature 0', () => {
    expect(body({}, DEEPSEEK, 'max').reasoning_effort).toBe('max');
    expect(body({ purpose: 'session-title' })).toMatchObject({ thinking: { type: 'disabled' }, temperature: 0 });
    expect(body({}, DEEPSEEK, 'off')).toMatchObject({ thinking: { type: 'disabled' }, temperature: 0 });
    expect(body({ temperature: 0.3 }, DEEPSEEK, 'off').temperature).toBe(0.3);
    expect(body({}, COMPATIBLE)).not.toHaveProperty('temperature');
    expect(body({ temperature: 0.3 }, OPENAI).temperature).toBe(0.3);
  });

  it('PR60 reasoning goes back byte for byte, as an empty text beside calls that had none', () => {
    const { messages } = body({
      messages: [
        assistant(reasoning),
        assistant(reasoning, call),
        assistant(call),
        assistant({ type: 'text', text: 'x' }),
      ],
    });

    expect(
      messages.map((message: object) => ('reasoning_content' in message ? message.reasoning_content : undefined)),
    ).toEqual(['hm\n é', 'hm\n é', '', undefined]);
  });

  it('PR60 servers that refuse reasoning never see it, others only what they sent', () => {
    const history = { messages: [assistant(reasoning, call), assistant(call)] };

    expect(JSON.stringify(body(history, OPENAI))).not.toContain('reasoning_content');
    expect(
      body(history, COMPATIBLE).messages.map((message: object) => Object.keys(message).includes('reasoning_content')),
    ).toEqual([true, false]);
  });

  it('PR60 the limit of output tokens is the smaller of what is asked and what the model allows', () => {
    expect(body({ maxTokens: 65_536 }).max_tokens).toBe(65_536);
    expect(body({ provider: 'openai', model: 'gpt-4.1', maxTokens: 65_536 }, OPENAI).max_completion_tokens).toBe(
      32_768,
    );
    expect(body({ model: 'unheard-of', maxTokens: 65_536 }).max_tokens).toBe(65_536);
  });

  it('PR61 there is one system message, first, and only the four roles', () => {
    const system = (text: string): Message => ({ role: 'system', content: [{ type: 'text', text }] });
    const sent = body({
      system: 'one',
      messages: [system('two'), user('a'), system('late'), assistant(call), { role: 'user', content: [result('x')] }],
    });

    expect(sent.messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'user',
      'assistant',
      'tool',
    ]);
    expect(sent.messages[0]!.content).toBe('one\n\ntwo');
  });

  it.each<[string, string | undefined, Dialect]>([
    ['deepseek', undefined, DEEPSEEK],
    ['deepseek', 'http://localhost:8000/v1', DEEPSEEK],
    ['openai', undefined, OPENAI],
    ['openai', 'https://api.openai.com/v1', OPENAI],
    ['openai', 'http://localhost:11434/v1', COMPATIBLE],
    ['openai', 'not a url', COMPATIBLE],
    ['local', 'http://localhost:8000/v1', COMPATIBLE],
  ])('PR59 provider %s at %p speaks its dialect', (provider, baseUrl, dialect) => {
    expect(dialectFor(provider, baseUrl)).toBe(dialect);
  });
});

describe('cases', () => {
  it('M1 a thinking server accepts the history its own replies made', async () => {
    await using wire = await Wire.start((_request, index) =>
      index === 0 ? calls('bash', { command: 'ls' }, { reasoning: 'look' }) : says('done'),
    );
    const assembler = new BlockAssembler();
    for (const chunk of await collect(wire.adapter.stream(ask({ tools })))) assembler.push(chunk);
    const made = assembler.message();
    const { id } = made.content.find((block) => block.type === 'tool-call')!;
    const answer: Message = { role: 'user', content: [{ type: 'tool-result', toolCallId: id, content: [] }] };

    const chunks = await collect(wire.adapter.stream(ask({ tools, messages: [user('hi'), made, answer] })));

    expect(chunks.at(-1)).toEqual({ type: 'finish', reason: { kind: 'stop' } });
    expect(wire.server.requests[1]!.raw).toContain('"reasoning_content":"look"');
  });

  it('M1 a server that refuses reasoning gets none with the right dialect, and refuses it with the wrong one', async () => {
    const history = { messages: [user('hi'), assistant(reasoning), user('go on')] };
    const rules = { reasoning: 'refused' } as const;
    await using right = await Wire.start(says('x'), { dialect: OPENAI }, { rules });
    await using wrong = await Wire.start(says('x'), { dialect: DEEPSEEK }, { rules });

    expect(await collect(right.adapter.stream(ask(history)))).toHaveLength(5);
    expect((await collectFailing(wrong.adapter.stream(ask(history)))).error).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('M9 a call without arguments goes back as an empty object', () => {
    const empty: ContentBlock = { type: 'tool-call', id: CallId('c1'), name: 'status', arguments: '' };

    expect(body({ messages: [assistant(empty)] }).messages[0]!.tool_calls![0]!.function.arguments).toBe('{}');
  });
});
