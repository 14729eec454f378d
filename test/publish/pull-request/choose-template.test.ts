import { describe, expect, it } from '@jest/globals';
import { chooseTemplate } from '../../../src/publish/pull-request/choose-template.ts';

describe('bot-fix', () => {
  it.each([
    ['in the root', ['README.md', 'pull_request_template.md'], 'pull_request_template.md'],
    ['in docs', ['docs/PULL_REQUEST_TEMPLATE.md'], 'docs/PULL_REQUEST_TEMPLATE.md'],
    ['in any case', ['.github/Pull_Request_Template.MD'], '.github/Pull_Request_Template.MD'],
    ['without an ending', ['.github/PULL_REQUEST_TEMPLATE'], '.github/PULL_REQUEST_TEMPLATE'],
    [
      'before those elsewhere',
      ['docs/pull_request_template.txt', '.github/pull_request_template.md'],
      '.github/pull_request_template.md',
    ],
    [
      'that is the only choice',
      ['.github/PULL_REQUEST_TEMPLATE/feature.md'],
      '.github/PULL_REQUEST_TEMPLATE/feature.md',
    ],
    [
      'for a fix, of several',
      ['a_feature', 'bugfix', 'docs'].map((name) => `.github/PULL_REQUEST_TEMPLATE/${name}.md`),
      '.github/PULL_REQUEST_TEMPLATE/bugfix.md',
    ],
    [
      'for all, of several',
      ['a', 'bug', 'default'].map((name) => `PULL_REQUEST_TEMPLATE/${name}.md`),
      'PULL_REQUEST_TEMPLATE/default.md',
    ],
    [
      'the first of several',
      ['b', 'a'].map((name) => `docs/pull_request_template/${name}.md`),
      'docs/pull_request_template/a.md',
    ],
    [
      'which is single, before several',
      ['PULL_REQUEST_TEMPLATE/fix.md', 'docs/pull_request_template.md'],
      'docs/pull_request_template.md',
    ],
    [
      'no other file',
      ['src/pull_request_template.md', '.github/pull_request_template.yml', 'PULL_REQUEST_TEMPLATE/x.png'],
      undefined,
    ],
  ])('U4 takes the template %s', (_, paths, chosen) => {
    expect(chooseTemplate(paths)).toBe(chosen);
  });
});
