import { describe, expect, it } from '@jest/globals';
import { assembleBody } from '../../../src/publish/markdown/body.ts';
import { fillTemplate } from '../../../src/publish/pull-request/fill-template.ts';
import type { PullParts } from '../../../src/publish/pull-request/fill-template.ts';

const PARTS: PullParts = {
  what: [{ kind: 'said', text: 'The price is right.' }],
  verification: [{ kind: 'markdown', text: '- `npm test`: passed' }],
  issue: [{ kind: 'markdown', text: 'Fixes #7' }],
  rest: [{ kind: 'said', text: '- Look at the tax.' }],
};

const fill = (template: string) => assembleBody(fillTemplate(template, PARTS));

describe('bot-fix', () => {
  it("U4 honours the repository's pull-request template: each part under the heading that asks for it", () => {
    const template = `<!-- Thanks! Please read CONTRIBUTING. -->
## Description

Say what changed.

## Related issue

Closes #(number)

## How was this tested?

- [ ] unit tests
- [ ] by hand

## Checklist

- [ ] I updated the changelog
`;
    expect(fill(template)).toBe(`## Description

The price is right.

## Related issue

Fixes #7

## How was this tested?

- \`npm test\`: passed

- [ ] unit tests
- [ ] by hand

## Checklist

- [ ] I updated the changelog

- Look at the tax.`);
  });

  it('U4 what no heading asks for stands before and after the template', () => {
    expect(fill('## Screenshots\r\n\r\nnone\r\n')).toBe(
      'The price is right.\n\n## Screenshots\n\nnone\n\n- `npm test`: passed\n\n- Look at the tax.\n\nFixes #7',
    );
  });

  it('U4 without a template the parts stand in their order', () => {
    expect(fill('')).toBe('The price is right.\n\n- `npm test`: passed\n\n- Look at the tax.\n\nFixes #7');
  });

  it('U4 no box of a template is ticked, and what it says of itself is left out', () => {
    const template =
      '\ufeff---\nname: Bug fix\nabout: x\n---\r\n## Summary\n## Checklist\n- [x] I ran the tests\n* [X] signed the CLA\n1. [x] first\n<!-- never closed\n- [x] hidden';
    const body = fill(template);

    expect(body).not.toMatch(/\[x\]|about:|hidden/i);
    expect(body).toMatch(/## Checklist\n\n- \[ \] I ran the tests\n\* \[ \] signed the CLA\n1\. \[ \] first/);
  });

  it('U4 what stands between two rules is not what a template says of itself', () => {
    expect(fill('---\n\n## Screenshots\n\n---\n\nThanks.')).toContain('## Screenshots');
  });

  it('U4 a heading within code is none', () => {
    const body = fill('## Notes\n\n```sh\n# run the tests\nnpm test\n```\n\n## Testing\n');

    expect(body).toContain('# run the tests\nnpm test\n```');
    expect(body.indexOf('passed')).toBeGreaterThan(body.indexOf('## Testing'));
  });

  it('U4 F1 a template that alone is longer than GitHub takes is cut, and what is ours stays', () => {
    const body = fill(`## Summary\n\n## Rules\n\n${'rule\n'.repeat(20_000)}`);

    expect(body.length).toBeLessThan(65_536);
    for (const text of ['The price is right.', '`npm test`: passed', 'Fixes #7', 'cut here'])
      expect(body).toContain(text);
  });

  it('U4 a template itself closes nothing and calls nobody', () => {
    const body = fill('## Reviewers\n\n@octocat, closes #99, <img src=x>\n');

    expect(body).not.toMatch(/@octocat|#99|<img/);
    expect(body.match(/Fixes #7/g)).toHaveLength(1);
  });

  it.each([
    ['line ends', '\n'.repeat(1_000_000)],
    ['headings', '# a\n'.repeat(250_000)],
    ['emoji', 'x' + '😀'.repeat(250_000)],
  ])('U4 P6 a template of a megabyte of %s holds nobody up', (_, template) => {
    const startedAt = performance.now();
    const body = fill(template);

    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(body.isWellFormed()).toBe(true);
    expect(body).toContain('Fixes #7');
  });
});
