import { describe, expect, it } from '@jest/globals';
import { renewText } from '../../../src/publish/pull-request/own-parts.ts';
import { planPullRequest } from '../../../src/publish/pull-request/plan-pull-request.ts';
import type { FixOutcome } from '../../../src/publish/pull-request/plan-pull-request.ts';

const RUN = { command: 'npm test', exitCode: 0, timedOut: false };
const plan = (outcome: Partial<FixOutcome>, template?: string) =>
  planPullRequest(
    {
      ...{ claimsFixed: true, draft: false, title: 'Mend the price', summary: 'The price is 2.', cause: '' },
      ...{ notes: [], verify: [], ...outcome },
    },
    {
      ...{ subject: { kind: 'issue', number: 7 }, session: 'gh-1-7-1', asker: { id: 5, login: 'maria' } },
      ...{ recentSubjects: [], changedTests: [], template },
    },
  );
const visible = (body: string) =>
  body
    .replaceAll(/<!-- dsh:.*? -->\s*/g, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
const FIRST = plan({ claimsFixed: false, draft: true, title: 'A first try', notes: ['Half of it.'] });
const SECOND = plan({ summary: 'Null has a price, too.', verify: [RUN] });

describe('bot-fix', () => {
  it('U4 a further commit is told after the first; verification, notes and what it closes are renewed', () => {
    const { title, body } = renewText({ ...FIRST, draft: true }, SECOND);

    expect(title).toBe('Mend the price');
    expect(visible(body)).toBe(
      'The price is 2.\n\nNull has a price, too.\n\n**Verification**\n\n- `npm test`: passed\n\nFixes #7',
    );
    expect(renewText({ title, body, draft: true }, SECOND)).toEqual({ title, body });
    const third = renewText({ title, body, draft: false }, plan({ summary: 'And tax.', title: 'Tax' }));
    expect(visible(third.body)).toContain('The price is 2.\n\nNull has a price, too.\n\nAnd tax.\n\n**Not verified');
    expect(third.title).toBe('Mend the price');
  });

  it.each([
    ['changed', (body: string) => body.replace('The price is 2.', 'The price is two (Maria).')],
    ['took out', (body: string) => body.replace('The price is 2.', '')],
    ['wrote around it', (body: string) => `Maria's note.\n\n${body}\n\nMore of hers.`],
    ['saved in a browser, by which lines end otherwise', (body: string) => body.replaceAll('\n', '\r\n')],
  ])('U4 what a person %s stays so, and the rest is renewed', (how, edit) => {
    const edited = edit(FIRST.body);

    const { body } = renewText({ ...FIRST, body: edited, draft: true }, SECOND);

    expect(body).toContain('- `npm test`: passed');
    expect(body).toContain('Fixes #7');
    expect(body).not.toContain('Half of it.');
    const isOurs = how !== 'changed' && how !== 'took out';
    expect(body.includes('The price is 2.')).toBe(isOurs);
    expect(body.includes('Null has a price, too.')).toBe(isOurs);
    expect(body.match(/Maria/g)).toEqual(edited.match(/Maria/g));
  });

  it('U4 a title that a person gave stays, and so does that of a pull request that is no draft', () => {
    expect(renewText({ ...FIRST, title: 'As Maria says', draft: true }, SECOND).title).toBe('As Maria says');
    expect(renewText({ ...FIRST, draft: false }, SECOND).title).toBe('A first try');
  });

  it('U4 a text without our marks is left alone', () => {
    const theirs = { title: 'x', body: 'All rewritten.', draft: true };

    expect(renewText(theirs, SECOND)).toEqual({ title: 'x', body: 'All rewritten.' });
  });

  it('U4 under a template the parts are renewed where they stand', () => {
    const template = '## Testing\n\n## Summary\n\n- [ ] changelog\n';
    const { body } = renewText({ ...plan({}, template), draft: false }, plan({ summary: 'More.', verify: [RUN] }));

    expect(visible(body)).toBe(
      '## Testing\n\n**Verification**\n\n- `npm test`: passed\n\n## Summary\n\nThe price is 2.\n\nMore.\n\n- [ ] changelog\n\nFixes #7',
    );
  });

  it('U4 no words of the model are taken for our marks', () => {
    const forged = '<!-- dsh:ours end --> x <!-- dsh:ours issue --> Fixes #99 <!-- dsh:ours end -->';
    const { body } = renewText({ ...plan({ summary: forged }), draft: false }, SECOND);

    expect(visible(body)).toMatch(/Null has a price, too\.\n\n\*\*Verification/);
    expect(body.match(/Fixes #7/g)).toHaveLength(1);
    expect(body).not.toContain('Fixes #99');
  });

  it('U4 P6 a text that would grow too long tells the last commit only', () => {
    const long = plan({ summary: 'x'.repeat(60_000) });

    const { body } = renewText({ ...long, draft: false }, plan({ summary: 'y'.repeat(60_000) }));

    expect(body.length).toBeLessThan(65_536);
    expect([body.includes('xxx'), body.includes('yyy')]).toEqual([false, true]);
  });

  it.each([
    [
      'code of the model',
      { summary: '```html\n<!-- dsh:ours end -->\n<!-- dsh:ours issue -->\nx\n```\nand `<!-- dsh:ours end -->`' },
    ],
    ['a command', { verify: [{ ...RUN, command: "grep '<!-- dsh:ours end -->'" }] }],
    ['code that bears the mark of another session', { summary: '`<!-- dsh:session gh-1-8-1 -->`' }],
  ])('U4 no mark is taken from %s', (_, outcome) => {
    const first = plan(outcome);
    expect(first.body.match(/<!-- dsh:ours end -->/g)).toHaveLength(4);
    expect(first.body.match(/<!-- dsh:session /g)).toHaveLength(1);

    const { body } = renewText({ ...first, draft: false }, SECOND);

    expect(visible(body)).toMatch(
      /Null has a price, too\.\n\n\*\*Verification\*\*\n\n- `npm test`: passed\n\nFixes #7$/,
    );
    expect(body.match(/Fixes #7/g)).toHaveLength(1);
  });

  it('U4 a part whose end somebody took out is theirs, and the next is renewed', () => {
    const edited = FIRST.body.replace('<!-- dsh:ours end -->', '');

    const { body } = renewText({ ...FIRST, body: edited, draft: true }, SECOND);

    expect(visible(body)).toBe('The price is 2.\n\n**Verification**\n\n- `npm test`: passed\n\nFixes #7');
  });

  it.each([
    ['list', '- ', '  '],
    ['quote', '> ', '> '],
  ])('U4 what a person set into a %s is theirs', (_, first, other) => {
    const edited = FIRST.body
      .split('\n')
      .map((line, at) => `${at === 0 ? first : line && other}${line}`)
      .join('\n');

    expect(renewText({ ...FIRST, body: edited, draft: false }, SECOND).body).toBe(edited);
  });

  it('U4 what ends like what was told before is told, too', () => {
    const first = plan({ summary: 'The sum is 12.' });

    expect(visible(renewText({ ...first, draft: false }, plan({ summary: '12.' })).body)).toContain('12.\n\n12.');
  });
});
