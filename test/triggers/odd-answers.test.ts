import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import { decide } from '../../src/triggers/decide.ts';
import type { OpenRequest } from '../../src/triggers/intake.ts';
import { factsOf } from './support/facts.ts';
import { command, comment, pull, read, said } from './support/payloads.ts';
import type { Json } from './support/payloads.ts';

const open = (id: string): OpenRequest => ({
  ...{ id, kind: id.startsWith('ap') ? 'approval' : 'question', askedOf: { id: 2 }, askedAt: 0, text: 'Which?' },
  cause: 'comment-1',
});
const ASKED = 'ap_0123456789ab';
const OLD = 'ap_ba9876543210';
const decided = (body: string, ...ids: string[]) =>
  decide(command(body), factsOf({ permission: 'write', open: ids.map(open) }), DEFAULT_CONFIG);

describe('approval', () => {
  it.each([
    '`ID`',
    '**ID**',
    '"ID"',
    '“ID”',
    '(ID)',
    '<ID>',
    '[ID]',
    '\u200bID',
    'ID.',
    'ID,',
    'ID!',
    '`ID` please',
    '\u00a0 ID',
    'ID\r',
  ])('N9 the id counts however it is written, and no other request is meant by it: %j', (written) => {
    expect(decided(`/dsh approve ${written.replace('ID', OLD)}`, ASKED)).toMatchObject({
      kind: 'answer',
      request: OLD,
    });
    expect(decided(`/dsh deny ${written.replace('ID', OLD)}`, ASKED)).toMatchObject({ kind: 'answer', request: OLD });
  });

  it('N9 an id knows no case', () => {
    expect(decided(`/dsh approve ${OLD.toUpperCase()}`, ASKED)).toMatchObject({ kind: 'answer', request: OLD });
  });

  it.each([
    ['/dsh approve looks good to me', { kind: 'approve' }],
    ['/dsh approve', { kind: 'approve' }],
    ['/dsh deny not now', { kind: 'deny', reason: 'not now' }],
    ['/dsh deny `not` now', { kind: 'deny', reason: '`not` now' }],
    [`/dsh deny \`${ASKED}\` **not** now`, { kind: 'deny', reason: '**not** now' }],
    [`/dsh deny ${ASKED}: not now`, { kind: 'deny', reason: 'not now' }],
    [`/dsh deny ${ASKED} — not now`, { kind: 'deny', reason: '— not now' }],
  ])('N9 words that are no id are for the one that is open: %s', (body, value) => {
    expect(decided(body, ASKED)).toMatchObject({ kind: 'answer', request: ASKED, value });
  });

  it('N9 two ids in one line are not one of them', () => {
    expect(decided(`/dsh approve ${ASKED} ${OLD}`, ASKED, OLD)).toMatchObject({
      kind: 'reply',
      text: expect.stringContaining('Which one?'),
    });
    expect(decided(`/dsh deny ${ASKED}, ${OLD}`, ASKED, OLD)).toMatchObject({ kind: 'reply' });
    expect(decided(`/dsh deny ${ASKED} since ${OLD} does it`, ASKED, OLD)).toMatchObject({
      kind: 'answer',
      request: ASKED,
    });
  });

  it('N9 an id somewhere among words is not passed over for the one that is open', () => {
    expect(decided(`/dsh approve please ${OLD}`, ASKED)).toMatchObject({ kind: 'answer', request: OLD });
    expect(decided(`/dsh approve the id ${ASKED}`, ASKED, OLD)).toMatchObject({ kind: 'answer', request: ASKED });
  });
});

describe('user-interaction', () => {
  it('N2 an answer may name its question in backticks; words that begin like an id are an answer', () => {
    expect(decided('/dsh answer `q_0123456789ab` 2', 'q_0123456789ab', 'q_1123456789ab')).toMatchObject({
      ...{ kind: 'answer', request: 'q_0123456789ab', value: { kind: 'text', text: '2' } },
    });
    expect(decided('/dsh answer q_learning is better', 'q_0123456789ab')).toMatchObject({
      ...{ request: 'q_0123456789ab', value: { kind: 'text', text: 'q_learning is better' } },
    });
    expect(decided('/dsh answer `code` it', 'q_0123456789ab')).toMatchObject({
      ...{ request: 'q_0123456789ab', value: { kind: 'text', text: '`code` it' } },
    });
  });
});

describe('bot-human-loop', () => {
  const at = (time: string) => Date.parse(`2026-03-04T${time}Z`);
  const asked = { ...open('q_0123456789ab'), askedAt: at('10:00:00') };
  const remark = (written: string, action = 'created') => {
    const times = { created_at: `2026-03-04T${written}Z`, updated_at: '2026-03-04T12:00:00Z' };
    const changes = { body: { from: 'Bule' } };
    const [reading] = comment('Blue', times, { action, ...(action === 'edited' && { changes }) });
    return decide(reading!, factsOf({ permission: 'write', open: [asked] }), DEFAULT_CONFIG);
  };

  it('Q1 what was written before the question does not answer it, though it is told late or edited now', () => {
    expect(remark('09:00:00')).toEqual({ kind: 'ignore', why: 'no-open-question' });
    expect(remark('09:00:00', 'edited')).toEqual({ kind: 'ignore', why: 'no-open-question' });
  });

  it('Q1 what the asked person says of lines of a diff, or in a review, answers only what it quotes', () => {
    const open = [{ ...asked, text: 'Which database should it be?' }];
    const decided = (name: string, payload: Json) =>
      decide(read(name, payload)[0]!, factsOf({ permission: 'write', open }), DEFAULT_CONFIG);
    const line = (body: string) => ({ action: 'created', pull_request: pull, comment: said(body, { path: 'a.ts' }) });
    const review = (body: string) => ({ action: 'submitted', pull_request: pull, review: said(body) });
    const quoted = '> Which database should it be?\n\nPostgres';

    expect(decided('pull_request_review_comment', line('rename this')).kind).toBe('ignore');
    expect(decided('pull_request_review', review('looks good')).kind).toBe('ignore');
    expect(decided('pull_request_review', review(quoted))).toMatchObject({ value: { text: 'Postgres' } });
  });

  it('N6 a reply of somebody whose right cannot be looked up is not passed over in silence', () => {
    const [reading] = comment('Blue', { created_at: '2026-03-04T11:00:00Z' });
    const facts = factsOf({ permission: 'could-not-check', open: [asked] });
    expect(decide(reading!, facts, DEFAULT_CONFIG)).toMatchObject({ kind: 'answer', permission: 'could-not-check' });
  });

  it('Q1 a reply that is edited counts while the question is open, and two clocks may differ a little', () => {
    expect(remark('11:00:00')).toMatchObject({ kind: 'answer', value: { text: 'Blue' } });
    expect(remark('11:00:00', 'edited')).toMatchObject({ kind: 'answer', value: { text: 'Blue' } });
    expect(remark('09:59:50')).toMatchObject({ kind: 'answer' });
  });
});

describe('bot-security', () => {
  it.each(['/dsh LONG', '/dsh fix --LONG', '@dsh LONG', '/dsh approve LONG', '/dsh LONG\n'])(
    'X12 a word of 60,000 characters by anybody is read in no time: %j',
    (body) => {
      const began = performance.now();
      comment(body.replace('LONG', 'x'.repeat(60_000)));
      expect(performance.now() - began).toBeLessThan(500);
    },
  );

  it('X12 a long quote by anybody below a long question is judged in no time', () => {
    const text = 'Which of these words? '.repeat(2_500);
    const lines = Array.from({ length: 5_000 }, (_, at) => `> no such ${at}`).join('\n');
    const [reading] = comment(`${lines}\n\nthis one`);
    const began = performance.now();
    decide(reading!, factsOf({ permission: 'none', open: [{ ...open('q_0123456789ab'), text }] }), DEFAULT_CONFIG);
    expect(performance.now() - began).toBeLessThan(500);
  });
});
