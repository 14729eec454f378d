import { describe, expect, it } from '@jest/globals';
import { judgeAnswer } from '../../../../src/bot/people/answer/judge-answer.ts';
import type { Given } from '../../../../src/bot/people/answer/judge-answer.ts';
import type { AskUserQuestionItem } from '../../../../src/seams/user-interaction/types.ts';
import { COLOUR, given, questionRequest, RULES } from '../request-fixture.ts';

const SIZES = {
  ...{ id: 'sizes', question: 'Which sizes?', multiSelect: true },
  options: [{ label: 'S' }, { label: 'M, L' }, { label: 'XL (Recommended)' }],
};
const WHY = { id: 'why', question: 'Why?' };
const PLAN = { id: 'plan', question: 'Shall it?', options: [{ label: 'Approve' }, { label: 'Keep planning' }] };

function answersTo(questions: readonly AskUserQuestionItem[], value: Given['value'], tool = 'ask_user_question') {
  const judged = judgeAnswer(questionRequest(questions, { tool }), given(value), RULES);
  return judged.kind === 'settle' ? (judged.answer.value as { answers: unknown[] }).answers : judged;
}
const answerTo = (questions: readonly AskUserQuestionItem[], text: string) =>
  answersTo(questions, { kind: 'text', text });

describe('user-interaction', () => {
  it.each([
    '2',
    '２',
    '\u200b2',
    '2.',
    '2)',
    '2。',
    '**2**',
    '`2`',
    '2\r\n',
    'Blue',
    '"Blue"',
    '`Blue`',
    '2 Blue',
    '**2** Blue',
  ])('Q1 N2 %j chooses the second option', (text) => {
    expect(answerTo([COLOUR], text)).toEqual([{ id: 'colour', selected: ['Blue'] }]);
  });

  it.each(['Red', 'red', 'Red (recommended)', '1. Red (Recommended)'])(
    'B6 %j chooses the recommended option by the label that was offered',
    (text) => {
      expect(answerTo([COLOUR], text)).toEqual([{ id: 'colour', selected: ['Red (Recommended)'] }]);
    },
  );

  it.each([
    ['1,3', ['S', 'XL (Recommended)']],
    ['1、3', ['S', 'XL (Recommended)']],
    ['１，３', ['S', 'XL (Recommended)']],
    ['1, XL', ['S', 'XL (Recommended)']],
    ['M, L', ['M, L']],
    ['s, M, L', ['S', 'M, L']],
    ['xl, s, 1', ['XL (Recommended)', 'S']],
  ])('N2 several are chosen by numbers, by labels, and by both: %j', (text, selected) => {
    expect(answerTo([SIZES], text)).toEqual([{ id: 'sizes', selected }]);
  });

  it.each(['2 of them', '2 or 1?', 'Blue, but darker', '#Blue', '2.5', '-1', '1/2', 'q1=2', '#2'])(
    'Q1 own words stay own words: %j',
    (text) => {
      expect(answerTo([COLOUR], text)).toEqual([{ id: 'colour', selected: [], custom: text }]);
    },
  );

  it('N2 own words stand as they were written, marks and all', () => {
    expect(answerTo([WHY], ' **２** “so” `x` ')).toEqual([{ id: 'why', selected: [], custom: '**２** “so” `x`' }]);
    expect(answerTo([COLOUR, WHY], String.raw`q1=2 q2="in C:\temp\new, \"quoted\", a \\ too"`)).toEqual([
      { id: 'colour', selected: ['Blue'] },
      { id: 'why', selected: [], custom: String.raw`in C:\temp\new, "quoted", a \ too` },
    ]);
  });

  it('N2 a pair may be written with the signs of a Chinese keyboard', () => {
    expect(answerTo([COLOUR, WHY], 'q1＝２，q2＝“因为”')).toEqual([
      { id: 'colour', selected: ['Blue'] },
      { id: 'why', selected: [], custom: '因为' },
    ]);
  });

  it.each(['q1=1,3,q2=so', 'q1=1，3；q2=so', 'q1=1,3;q2=so', 'q2=so, q1=1,3', 'q1="1, 3" q2=so'])(
    'N2 pairs may stand apart by a comma as the numbers of one do: %j',
    (text) => {
      expect(answerTo([SIZES, WHY], text)).toEqual([
        { id: 'sizes', selected: ['S', 'XL (Recommended)'] },
        { id: 'why', selected: [], custom: 'so' },
      ]);
    },
  );

  it.each(['a', 'a ', 'q1="', 'q1=,', ',a', '1,', ' , ', '\\\\', 'q1=1 '])(
    'N2 an answer of 60,000 characters is read in no time: %j over and over',
    (piece) => {
      const began = performance.now();
      answerTo([SIZES, WHY], piece.repeat(60_000 / piece.length));
      answerTo([SIZES], piece.repeat(60_000 / piece.length));
      expect(performance.now() - began).toBeLessThan(1_000);
    },
  );

  it('N6 one question answered twice in one line is no answer', () => {
    expect(answerTo([COLOUR, WHY], 'q1=1 q2=so q1=2')).toEqual({ kind: 'unfit', why: 'q1 is answered twice' });
  });

  it.each(['1', 'approve', 'Approve', '1. Approve', ' approve ', '１'])(
    'N11 a denial is never a yes, whatever its reason says: %j',
    (reason) => {
      const answers = answersTo([PLAN], { kind: 'deny', reason }, 'submit_plan') as { selected: string[] }[];
      expect(answers[0]?.selected).not.toContain('Approve');
      expect(answers[0]).toMatchObject({ custom: reason.trim() });
    },
  );

  it('N11 a question of the model that only looks like a plan is not approved by the words for approvals', () => {
    expect(answersTo([PLAN], { kind: 'approve' })).toEqual({ kind: 'other-kind' });
    expect(answersTo([COLOUR], { kind: 'deny', reason: '1' })).toEqual({ kind: 'other-kind' });
  });
});
