import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readPullTemplate } from '../../../../src/bot/fix/publish/read-pull-template.ts';
import { DemoGitHub } from '../../../github/support/demo-github.ts';
import { GitFixture } from '../../../github/support/git-fixture.ts';
import type { Content } from '../../../github/support/git-fixture.ts';

let demo: DemoGitHub;
let fixture: GitFixture;
beforeAll(async () => {
  demo = await DemoGitHub.start();
});
afterAll(() => demo.close());
beforeEach(() => {
  fixture = new GitFixture();
});
afterEach(() => fixture.close());

async function template(files: Record<string, Content>) {
  fixture.commit(files);
  const { gitDir, headSha: sha } = await fixture.open();
  return readPullTemplate({ gitDir, sha }, { github: demo.connect(), owner: 'acme' });
}

describe('bot-fix', () => {
  it.each([
    ['.github/PULL_REQUEST_TEMPLATE/fix.md'],
    ['.github/Pull_request_template.md'],
    ['docs/pull_request_template.txt'],
    ['PULL_REQUEST_TEMPLATE.md'],
  ])('U4 the template is found at %s', async (path) => {
    expect(await template({ [path]: '## What\n', 'a.txt': 'a\n' })).toBe('## What\n');
  });

  it('U4 a link, an empty file and a repository without one are no template', async () => {
    expect(
      await template({ 'pull_request_template.md': { link: '/etc/passwd' }, 'docs/pull_request_template.md': ' \n' }),
    ).toBe(undefined);
    expect(await template({ 'pull_request_template.md': undefined, 'docs/pull_request_template.md': undefined })).toBe(
      undefined,
    );
  });

  it("U4 a repository without one has its owner's, of the public repository `.github`", async () => {
    await demo.server.addRepository({
      owner: 'acme',
      name: '.github',
      files: { 'README.md': 'x\n', '.github/PULL_REQUEST_TEMPLATE.md': '## Of all\n' },
    });

    expect(await template({ 'a.txt': 'a\n' })).toBe('## Of all\n');
    expect(await template({ 'docs/pull_request_template.md': '## Own\n' })).toBe('## Own\n');
  });

  it('U4 what is no text, or too large for one, is no template', async () => {
    const binary = Buffer.from('## What\n', 'utf16le');
    expect(await template({ '.github/pull_request_template.txt': binary })).toBe('## Of all\n');
    expect(await template({ '.github/pull_request_template.txt': 'x'.repeat(2_000_000) })).toBe('## Of all\n');
  });
});
