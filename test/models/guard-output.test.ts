import { describe, expect, it } from '@jest/globals';
import { calls, says } from '../../src/demo/model/reply.ts';
import { RetryConfig } from '../../src/harness/llm/retry-policy.ts';
import { OUTPUT_RETRIES } from '../../src/models/guard-output.ts';
import { RepetitionDetector } from '../../src/models/repetition-detector.ts';
import { holdsToolCallText } from '../../src/models/tool-call-text.ts';
import { ask, blocksOf, collect, collectFailing, delta, event, Wire } from './adapter-fixture.ts';

const tools = [{ name: 'bash', description: 'runs', parameters: { type: 'object' } }];
const MARKUP = '<｜DSML｜function_calls><｜DSML｜invoke name="bash">';

describe('prompts', () => {
  it.each([
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash',
    '<|tool_calls_begin|>',
    '<| DSML | tool_calls>',
    `Let me look.\n${MARKUP}`,
    '</｜DSML｜invoke>',
    '<tool_call>{"name": "bash"}</tool_call>',
    '<function_calls><invoke name="bash">',
    '<function=bash>',
    '<tool_use name="bash">',
    '[TOOL_CALLS][{"name":"bash"}]',
    '<|python_tag|>bash.call()',
    '<|tool_calls_section_begin|>',
    '{"name": "bash", "arguments": {"command": "ls"}}',
    '  [{"tool": "bash", "args": {}}]\n',
    '{"function": {"name": "bash", "arguments": "{}"}}',
    '{"tool_calls": [{"function": {"name": "bash"}}]}',
  ])('PR37 a call as text is seen in %s', (text) => {
    expect(holdsToolCallText(text, ['bash'])).toBe(true);
  });

  it.each([
    'All tests pass.',
    'Use `<tool_call>` tags.',
    'Use ``a ` <tool_call> b`` tags.',
    `\`\`\`xml\n${MARKUP}\n\`\`\`\nas quoted above.`,
    `~~~\n<tool_call>\n~~~`,
    `\`\`\`\`\n\`\`\`\n<tool_call>\n\`\`\`\`\ndone`,
    `An open fence runs to the end:\n\`\`\`\n<tool_call>`,
    '{"name": "package", "version": "1.0.0"}',
    '[]',
    '{"answer": "bash"}',
    '{"name": "bash"} is how it looks.',
    '```json\n{"name": "bash", "arguments": {}}\n```',
    'a < b | c > tool',
  ])('PR37 no call is seen in %s', (text) => {
    expect(holdsToolCallText(text, ['bash'])).toBe(false);
  });

  it('PR37 markup after a closed fence counts', () => {
    expect(holdsToolCallText('```\ncode\n```\n<tool_call>', [])).toBe(true);
  });

  it('PR37 the reply fails wherever the chunks split the markup, and never finishes', async () => {
    const half = MARKUP.length / 2;
    const raw = [MARKUP.slice(0, half), MARKUP.slice(half)].map((content) => event(delta({ content })));
    await using wire = await Wire.start({ raw: [...raw, event(delta({}, 'stop')), event('[DONE]')] });

    const { chunks, error } = await collectFailing(wire.adapter.stream(ask({ tools })));

    expect(error).toMatchObject({ code: 'TOOL_CALL_AS_TEXT', message: expect.stringContaining('tool call parser') });
    expect(chunks.map(({ type }) => type)).not.toContain('finish');
  });

  it('PR37 reasoning may hold markup, and without tools nothing is a call', async () => {
    await using thinking = await Wire.start(says('fine', { reasoning: MARKUP }));
    await using plain = await Wire.start(says(MARKUP));

    expect(blocksOf(await collect(thinking.adapter.stream(ask({ tools }))))).toHaveLength(2);
    expect(blocksOf(await collect(plain.adapter.stream(ask())))).toEqual([{ type: 'text', text: MARKUP }]);
  });

  it.each([
    ['a character', 'a'.repeat(2000), true],
    ['a sentence', 'I will now fix it. '.repeat(150), true],
    ['a unit of 100', `${'x'.repeat(99)}\n`.repeat(20), true],
    ['a unit of 101', `${'x'.repeat(100)}\n`.repeat(40), false],
    ['less than 2,000 characters', 'a'.repeat(1999), false],
    ['numbers that count', Array.from({ length: 600 }, (_, at) => `line ${at}`).join('\n'), false],
  ])('PR38 %s repeated: %#', (_what, text, expected) => {
    for (const size of [1, 7, 500, 5000]) {
      const detector = new RepetitionDetector();
      let seen = false;
      for (let at = 0; at < text.length; at += size) seen = detector.push(text.slice(at, at + size)) || seen;
      expect(seen || detector.isRepeating()).toBe(expected);
    }
  });

  it('PR38 a repeating stream is cut while it runs', async () => {
    const pieces = Array.from({ length: 400 }, () => event(delta({ reasoning_content: 'Wait, no. ' })));
    await using wire = await Wire.start({ raw: [...pieces, { end: 'silent' }] });

    const { chunks, error } = await collectFailing(wire.adapter.stream(ask()));

    expect(error).toMatchObject({ code: 'DEGENERATE_OUTPUT' });
    expect(chunks.length).toBeLessThan(230);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(wire.server.requests[0]!.closedEarly).toBe(true);
  });

  it('PR38 arguments that repeat are cut too, before the call could end', async () => {
    await using wire = await Wire.start(calls('bash', { command: `echo ${'na '.repeat(2000)}` }));

    const { chunks, error } = await collectFailing(wire.adapter.stream(ask({ tools })));

    expect(error).toMatchObject({ code: 'DEGENERATE_OUTPUT' });
    expect(blocksOf(chunks)).toEqual([]);
  });

  it('PR37 PR38 each failure has a budget of its own: two more attempts, and one', () => {
    expect(OUTPUT_RETRIES.map((config) => RetryConfig.parse(config))).toMatchObject([
      { codes: ['TOOL_CALL_AS_TEXT'], maxRetries: 2 },
      { codes: ['DEGENERATE_OUTPUT'], maxRetries: 1 },
    ]);
  });
});
