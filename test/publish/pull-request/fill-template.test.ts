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

  it('U4 a template itself closes nothing and calls nobody', () => {
    const body = fill('## Reviewers\n\n@octocat, closes #99, <img src=x>\n');

    expect(body).not.toMatch(/@octocat|#99|<img/);
    expect(body.match(/Fixes #7/g)).toHaveLength(1);
  });
});
