import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { createTokenProvider } from '../../src/github/token-provider.ts';

let github: GitHubServer;
beforeAll(async () => {
  github = await startGitHub();
  await github.addRepository({ owner: 'acme', name: 'shop', files: { 'README.md': 'shop\n' } });
});
afterAll(() => github.close());

const mint = (installationId: number) => {
  const { app, apiUrl } = github;
  return createTokenProvider({ appId: app.id, privateKey: app.privateKey, installationId }, { apiUrl })();
};

describe('bot-security', () => {
  it('X8 an installation that is not ours, or is suspended, has a name of its own', async () => {
    const { id } = github.installationOf('acme')!;
    expect(await mint(id)).toMatch(/^ghs_/);

    await expect(mint(424_242)).rejects.toMatchObject({ code: 'INSTALLATION_GONE' });
    github.suspendInstallation('acme');
    await expect(mint(id)).rejects.toMatchObject({ code: 'INSTALLATION_GONE' });
  });
});
