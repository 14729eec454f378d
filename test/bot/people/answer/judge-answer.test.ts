import { describe, expect, it } from '@jest/globals';
import { judgeAnswer } from '../../../../src/bot/people/answer/judge-answer.ts';
import type { Given } from '../../../../src/bot/people/answer/judge-answer.ts';
import { approvalRequest, COLOUR, given, questionRequest, RULES } from '../request-fixture.ts';

const APPROVE = { kind: 'approve' } as const;
const boxes = (ticked: number[], checked = ticked) => ({ kind: 'boxes', ticked, checked }) as const;

describe('bot-human-loop', () => {
  it.each<[string, Given['value'], string, string | undefined]>([
    ['the command approve', APPROVE, 'allowed', undefined],
    ['the command deny', { kind: 'deny', reason: 'too wide' }, 'rejected', 'too wide'],
    ['deny without a reason', { kind: 'deny', reason: undefined }, 'rejected', undefined],
    ['the first box', boxes([0]), 'allowed', undefined],
    ['the second box', boxes([1]), 'rejected', undefined],
    ['both boxes at once', boxes([0, 1]), 'rejected', undefined],
    ['the first box beside a ticked second', boxes([0], [0, 1]), 'rejected', undefined],
    ['a thumb up', { kind: 'reaction', content: '+1' }, 'allowed', undefined],
    ['a thumb down', { kind: 'reaction', content: '-1' }, 'rejected', undefined],
  ])('A1 A7 three ways to answer: %s', (_way, value, state, reason) => {
    const answer = given(value, { url: 'https://x/1' });

    expect(judgeAnswer(approvalRequest(), answer, RULES)).toEqual({
      kind: 'settle',
      state,
      answer: {
        ...{ actor: { id: 6, login: 'otto' }, standing: { permission: 'write', trusted: true } },
        ...{ how: answer.how, value: reason, url: 'https://x/1', at: 5 },
      },
    });
  });

  it.each<[Given['permission'], boolean, string]>([
    ['admin', false, 'settle'],
    ['maintain', false, 'settle'],
    ['write', false, 'settle'],
    ['triage', false, 'not-allowed'],
    ['read', false, 'not-allowed'],
    ['none', false, 'not-allowed'],
    ['could-not-check', false, 'could-not-check'],
    ['admin', true, 'not-allowed'],
  ])('A2 N3 Q2 only people with the right decide: %s, bot %s → %s', (permission, isBot, expected) => {
    const actor = { id: 9, login: 'x', isBot };
    for (const request of [approvalRequest(), questionRequest()]) {
      const value = request.kind === 'question' ? ({ kind: 'text', text: '1' } as const) : APPROVE;
      const judged = judgeAnswer(request, given(value, { permission, actor }), RULES);
      expect(judged.kind === 'refuse' ? judged.why : judged.kind).toBe(expected);
    }
  });

  it('A2 N3 whoever started the turn may approve it, unless four eyes are wanted; a question he may always answer', () => {
    const own = given(APPROVE, { actor: { id: 5, login: 'maria' } });
    const fourEyes = { ...RULES, approval: { ...RULES.approval, fourEyes: true } };

    expect(judgeAnswer(approvalRequest(), own, RULES).kind).toBe('settle');
    expect(judgeAnswer(approvalRequest(), own, fourEyes)).toEqual({ kind: 'refuse', why: 'not-yours' });
    expect(judgeAnswer(approvalRequest(), given(APPROVE), fourEyes).kind).toBe('settle');
    const answer = given({ kind: 'text', text: '2' }, { actor: { id: 5, login: 'maria' } });
    expect(judgeAnswer(questionRequest(), answer, fourEyes).kind).toBe('settle');
  });
});

describe('approval', () => {
  it('N3 the level is the one that is configured', () => {
    const rules = { ...RULES, permissions: { ...RULES.permissions, approve: 'maintain' } } as const;
    expect(judgeAnswer(approvalRequest(), given(APPROVE), rules).kind).toBe('refuse');
    expect(judgeAnswer(approvalRequest(), given(APPROVE, { permission: 'maintain' }), rules).kind).toBe('settle');
  });

  it('N2 a box that is neither is waited on, and a word to the wrong kind of request is said so', () => {
    expect(judgeAnswer(approvalRequest(), given(boxes([7])), RULES)).toEqual({ kind: 'collect' });
    expect(judgeAnswer(approvalRequest(), given({ kind: 'text', text: '1' }), RULES)).toEqual({ kind: 'other-kind' });
    expect(judgeAnswer(questionRequest(), given(APPROVE), RULES)).toEqual({ kind: 'other-kind' });
  });
});

describe('user-interaction', () => {
  const several = [
    { ...COLOUR, multiSelect: true },
    { id: 'why', question: 'Why?' },
  ];
  const answered = (...answers: object[]) => ({ kind: 'settle', state: 'answered', value: { answers } });
  const judge = (questions: typeof several | [typeof COLOUR], value: Given['value']) => {
    const judged = judgeAnswer(questionRequest(questions), given(value), RULES);
    return judged.kind === 'settle' ? { kind: 'settle', state: judged.state, value: judged.answer.value } : judged;
  };

  it.each<[string, string, object]>([
    ['a number', '2', { id: 'colour', selected: ['Blue'] }],
    ['a label, whatever its case', 'blue', { id: 'colour', selected: ['Blue'] }],
    ['a recommended label whole', 'Red (Recommended)', { id: 'colour', selected: ['Red (Recommended)'] }],
    ['own words', 'rather green', { id: 'colour', selected: [], custom: 'rather green' }],
    ['own words with a number in them', '2 of them', { id: 'colour', selected: [], custom: '2 of them' }],
  ])('N2 Q1 one question: %s', (_case, text, answer) => {
    expect(judge([COLOUR], { kind: 'text', text })).toEqual(answered(answer));
  });

  it.each<[string, typeof several | [typeof COLOUR], Given['value'], string]>([
    ['an option that is not there', [COLOUR], { kind: 'text', text: '3' }, 'there is no option 3'],
    ['two options of a single choice', [COLOUR], { kind: 'text', text: '1,2' }, 'only one option can be chosen'],
    ['nothing', [COLOUR], { kind: 'text', text: ' \n' }, 'it is empty'],
    ['one question of two', several, { kind: 'text', text: 'q1=1' }, 'q2 is not answered'],
    ['a question that was not asked', several, { kind: 'text', text: 'q1=1 q3=2' }, 'there is no question q3'],
    ['words beside the pairs', several, { kind: 'text', text: 'well q1=1 q2=2' }, '"well" belongs to no question'],
    ['submitted with nothing ticked', several, boxes([2]), 'nothing is ticked'],
    ['two ticks of a single choice', [COLOUR], boxes([0, 1]), '"Which colour?" takes one option'],
  ])('N6 what does not fit is said and the question stays open: %s', (_case, questions, value, why) => {
    expect(judge(questions, value)).toEqual({ kind: 'unfit', why });
  });

  it.each<[string, string, object[]]>([
    [
      'numbers and a quoted text',
      'q1=1,2 q2="a \\"b\\" = c"',
      [
        { id: 'colour', selected: ['Red (Recommended)', 'Blue'] },
        { id: 'why', selected: [], custom: 'a "b" = c' },
      ],
    ],
    [
      'by id, on two lines',
      'colour=Blue\nwhy="so"',
      [
        { id: 'colour', selected: ['Blue'] },
        { id: 'why', selected: [], custom: 'so' },
      ],
    ],
    [
      'curly quotes',
      'q1=1 q2=“weil”',
      [
        { id: 'colour', selected: ['Red (Recommended)'] },
        { id: 'why', selected: [], custom: 'weil' },
      ],
    ],
    [
      'a skipped one',
      'q1=skip q2=yes',
      [
        { id: 'colour', selected: [] },
        { id: 'why', selected: [], custom: 'yes' },
      ],
    ],
    [
      'backticks',
      'q1="`x`" q2=`y`',
      [
        { id: 'colour', selected: [], custom: '`x`' },
        { id: 'why', selected: [], custom: '`y`' },
      ],
    ],
  ])('N2 N12 several questions in one line: %s', (_case, text, answers) => {
    expect(judge(several, { kind: 'text', text })).toEqual(answered(...answers));
  });

  it('N2 N12 the first tick settles a single choice; several ticks wait for the submit box, and a tick taken back does not count', () => {
    expect(judge([COLOUR], boxes([1]))).toEqual(answered({ id: 'colour', selected: ['Blue'] }));
    expect(judge(several, boxes([0]))).toEqual({ kind: 'collect' });
    expect(judge(several, boxes([1], [0, 1]))).toEqual({ kind: 'collect' });
    expect(judge(several, boxes([2], [1, 2]))).toEqual(
      answered({ id: 'colour', selected: ['Blue'] }, { id: 'why', selected: [] }),
    );
  });

  it('N11 a plan is approved and sent back by the words for approvals, too', () => {
    const plan = { id: 'plan', question: 'Shall it?', options: [{ label: 'Approve' }, { label: 'Keep planning' }] };
    const request = questionRequest([plan], { tool: 'submit_plan' });
    const valueOf = (value: Given['value']) => {
      const judged = judgeAnswer(request, given(value), RULES);
      return judged.kind === 'settle' ? judged.answer.value : judged;
    };
    expect(valueOf(APPROVE)).toEqual({ answers: [{ id: 'plan', selected: ['Approve'] }] });
    expect(valueOf({ kind: 'deny', reason: undefined })).toEqual({
      answers: [{ id: 'plan', selected: ['Keep planning'] }],
    });
    expect(valueOf({ kind: 'deny', reason: 'smaller' })).toEqual({
      answers: [{ id: 'plan', selected: [], custom: 'smaller' }],
    });
  });
});
