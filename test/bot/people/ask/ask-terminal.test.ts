import { describe, expect, it } from '@jest/globals';
import { AskTerminal } from '../../../../src/bot/people/ask/ask-terminal.ts';
import type { Asking } from '../../../../src/bot/people/ask/ask-people.ts';
import { mergeConfig } from '../../../../src/config/merge-config.ts';
import { readAnswerFlags } from '../../../../src/cli/answer-flags.ts';
import { CallId } from '../../../../src/harness/llm/types.ts';
import type { Turn } from '../../../../src/publish/progress/surface.ts';
import { createToolBench } from '../../../seams/tool-bench.ts';
import { COLOUR } from '../request-fixture.ts';

/** A person who types these lines. */
async function atTerminal(data: Asking['data'], ...lines: string[]) {
  const { agent } = await createToolBench();
  const said: string[] = [];
  const terminal = { say: (line: string) => void said.push(line), ask: async () => lines.shift()! };
  const turn = {
    request: 'Fix it.',
    reading: { actor: { id: 5, login: 'maria' }, repo: { id: 1 } },
  } as unknown as Turn;
  const asker = new AskTerminal(terminal, { turn, config: mergeConfig() }, () => new Date(7));
  const { signal } = new AbortController();
  const asking = { id: 'ap_1', tool: 'bash', digest: 'd', callId: CallId('c'), data, signal };
  const request = await asker.ask(agent, asking);
  return { said, request, answer: agent.session.events.at(-1)?.data };
}

const APPROVAL: Asking['data'] = {
  kind: 'approval',
  shown: { command: 'rm -rf build', rest: undefined },
  reason: 'to clean',
  touches: ['the tree'],
};

describe('bot-human-loop', () => {
  it.each([
    ['y', 'allowed', undefined],
    ['YES', 'allowed', undefined],
    ['', 'rejected', undefined],
    ['n', 'rejected', undefined],
    ['use npm run clean', 'rejected', 'use npm run clean'],
  ])('A1 A7 in a terminal the person there is asked: %j', async (line, state, value) => {
    const { said, request, answer } = await atTerminal(APPROVAL, line);

    expect(said).toEqual(expect.arrayContaining(['rm -rf build', 'Why: to clean', '- the tree']));
    expect(request).toMatchObject({ state, answer: { how: 'terminal', value, actor: { login: 'maria' }, at: 7 } });
    expect(answer).toMatchObject({ request: 'ap_1', how: 'terminal', actor: { id: 5 }, at: 7 });
  });
});

describe('user-interaction', () => {
  it('N10 in a terminal each question is asked until its answer fits', async () => {
    const questions = [COLOUR, { id: 'why', question: 'Why?' }];
    const { said, request } = await atTerminal({ kind: 'question', questions }, '7', '2', 'because');

    expect(said).toContain('  1. Red (Recommended): warm');
    expect(said).toContain('there is no option 7');
    expect(request).toMatchObject({
      state: 'answered',
      answer: {
        value: {
          answers: [
            { id: 'colour', selected: ['Blue'] },
            { id: 'why', selected: [], custom: 'because' },
          ],
        },
      },
    });
  });

  it('flags give one answer, and a refusal with or without a reason', () => {
    expect(readAnswerFlags({})).toBeUndefined();
    expect(readAnswerFlags({ approve: true })).toEqual({ kind: 'approve' });
    expect(readAnswerFlags({ deny: true })).toEqual({ kind: 'deny', reason: undefined });
    expect(readAnswerFlags({ deny: 'no' })).toEqual({ kind: 'deny', reason: 'no' });
    expect(readAnswerFlags({ answer: '' })).toEqual({ kind: 'text', text: '' });
    expect(() => readAnswerFlags({ approve: true, answer: '1' })).toThrow(/More than one/);
  });
});
