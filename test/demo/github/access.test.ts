import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGitHub, type GitHubServer } from '../../../src/demo/github/start-github.ts';
import { openapiValidator } from '../../support/openapi-validator.ts';
import { appOctokit, octokitOf, refused } from './clients.ts';

const shop = { owner: 'acme', repo: 'shop' };
const vault = { owner: 'acme', repo: 'vault' };

describe('demo-github', () => {
  let github: GitHubServer;
  let issue: number;

  beforeAll(async () => {
    github = await startGitHub({ validate: openapiValidator({ responses: true }) });
    await github.addRepository({ owner: 'acme', name: 'shop', ownerType: 'Organization', files: { a: '1\n' } });
    await github.addRepository({ owner: 'acme', name: 'vault', private: true, files: { a: '1\n' } });
    await github.addRepository({ owner: 'other', name: 'lib', files: { a: '1\n' } });
    issue = (await github.openIssue('acme/shop', { by: 'alice', title: 'T' })).number;
    github.addUser('olga');
  });
  afterAll(() => github.close());

  it('knows the app by its JWT, its installations, and where it is installed', async () => {
    const app = appOctokit(github);

    expect((await app.rest.apps.getAuthenticated()).data).toMatchObject({
      id: github.app.id,
      slug: 'dsh',
      permissions: { contents: 'write' },
    });
    expect((await app.rest.apps.listInstallations()).data.map(({ account }) => account)).toMatchObject([
      { login: 'acme' },
      { login: 'other' },
    ]);
    expect((await app.rest.apps.getRepoInstallation(shop)).data.id).toBe(github.installationOf('acme')!.id);
    expect((await refused(app.rest.apps.getRepoInstallation({ owner: 'acme', repo: 'nothing' }))).status).toBe(404);
  });

  it("refuses a JWT signed by another key, of another app, or a token where the app's JWT is needed", async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const as = (other: object) => appOctokit(github, undefined, other).rest.apps.getAuthenticated();

    expect(await refused(as({ privateKey }))).toMatchObject({
      status: 401,
      message: 'A JSON web token could not be decoded',
    });
    expect(await refused(as({ appId: 1 }))).toMatchObject({
      status: 401,
      message: 'Integration not found',
    });
    expect((await refused(octokitOf(github, github.createToken('alice')).rest.apps.getAuthenticated())).status).toBe(
      401,
    );
  });

  it('narrows a token to repositories and permissions, and no wider than granted', async () => {
    const app = appOctokit(github);
    const installation_id = github.installationOf('acme')!.id;
    const { data } = await app.rest.apps.createInstallationAccessToken({
      installation_id,
      repositories: ['shop'],
      permissions: { issues: 'read', contents: 'read' },
    });
    const narrow = octokitOf(github, data.token);

    expect(data).toMatchObject({
      repository_selection: 'selected',
      permissions: { issues: 'read', contents: 'read' },
      repositories: [{ name: 'shop' }],
    });
    expect((await narrow.rest.issues.get({ ...shop, issue_number: issue })).status).toBe(200);
    expect(await refused(narrow.rest.issues.createComment({ ...shop, issue_number: issue, body: 'x' }))).toMatchObject({
      status: 403,
      message: 'Resource not accessible by integration',
    });
    expect((await refused(narrow.rest.repos.get(vault))).status).toBe(404);
    expect((await narrow.rest.apps.listReposAccessibleToInstallation()).data.repositories).toMatchObject([
      { name: 'shop' },
    ]);
    const wider = app.rest.apps.createInstallationAccessToken({
      installation_id,
      permissions: { administration: 'write' },
    });
    expect((await refused(wider)).status).toBe(422);
    const foreign = app.rest.apps.createInstallationAccessToken({ installation_id, repositories: ['lib'] });
    expect((await refused(foreign)).status).toBe(422);
  });

  it("keeps one owner's token out of another owner's repositories", async () => {
    const octokit = octokitOf(github, github.createToken({ installation: 'other' }));

    expect((await octokit.rest.issues.get({ ...shop, issue_number: issue })).status).toBe(200);
    expect((await refused(octokit.rest.issues.createComment({ ...shop, issue_number: issue, body: 'x' }))).status).toBe(
      403,
    );
    expect((await refused(octokit.rest.issues.listForRepo(vault))).status).toBe(404);
  });

  it('lets tokens die after their lifetime, and gives new ones', async () => {
    const token = github.createToken({ installation: 'acme' });
    const octokit = octokitOf(github, token);
    await octokit.rest.issues.get({ ...shop, issue_number: issue });

    github.advance(61 * 60_000);

    expect(await refused(octokit.rest.issues.get({ ...shop, issue_number: issue }))).toMatchObject({
      status: 401,
      message: 'Bad credentials',
    });
    expect((await appOctokit(github, 'acme').rest.issues.get({ ...shop, issue_number: issue })).status).toBe(200);
  });

  it.each([
    [
      'a writer by a custom role',
      'wendy',
      { role: 'write' as const, roleName: 'shipper' },
      { permission: 'write', role_name: 'shipper' },
    ],
    ['a maintainer', 'max', { role: 'maintain' as const }, { permission: 'write', role_name: 'maintain' }],
    ['a triager', 'tina', { role: 'triage' as const }, { permission: 'read', role_name: 'triage' }],
    ['anyone on a public repository', 'olga', undefined, { permission: 'read', role_name: 'read' }],
  ])('says what %s may do', async (_, login, grant, expected) => {
    if (grant) github.addCollaborator('acme/shop', login, grant);

    const { data } = await appOctokit(github, 'acme').rest.repos.getCollaboratorPermissionLevel({
      ...shop,
      username: login,
    });

    expect(data).toMatchObject({ ...expected, user: { login } });
  });

  it('says none for a stranger on a private repository, and 404 for who is nobody or a bot', async () => {
    const ask = (repo: typeof shop, username: string) =>
      appOctokit(github, 'acme').rest.repos.getCollaboratorPermissionLevel({ ...repo, username });

    expect((await ask(vault, 'olga')).data.permission).toBe('none');
    expect(await refused(ask(shop, 'nobody-at-all'))).toMatchObject({
      status: 404,
      message: 'nobody-at-all is not a user',
    });
    expect((await refused(ask(shop, 'dsh[bot]'))).status).toBe(404);
    const olga = octokitOf(github, github.createToken('olga'));
    const looked = refused(olga.rest.repos.getCollaboratorPermissionLevel({ ...shop, username: 'olga' }));
    expect(await looked).toMatchObject({
      status: 403,
      message: 'Must have push access to view collaborator permission.',
    });
  });

  it('shows a private member of the organization as a mere contributor in payloads, with every right', async () => {
    github.addCollaborator('acme/shop', 'pia', { role: 'admin', association: 'CONTRIBUTOR' });
    const { id } = await github.comment('acme/shop', issue, { by: 'pia', body: '/dsh fix' });
    const app = appOctokit(github, 'acme');

    expect((await app.rest.issues.getComment({ ...shop, comment_id: id })).data.author_association).toBe('CONTRIBUTOR');
    expect((await app.rest.repos.getCollaboratorPermissionLevel({ ...shop, username: 'pia' })).data.permission).toBe(
      'admin',
    );
    expect((await refused(app.request('GET /orgs/acme/members/pia'))).status).toBe(404);
    expect(github.requests.at(-1)).toMatchObject({ path: '/orgs/acme/members/pia', status: 404, actor: 'dsh[bot]' });
  });

  it('hides private repositories, and refuses writes without credentials or by readers', async () => {
    const olga = octokitOf(github, github.createToken('olga'));

    expect((await refused(octokitOf(github).rest.repos.get(vault))).status).toBe(404);
    expect((await refused(olga.rest.repos.get(vault))).status).toBe(404);
    expect((await refused(octokitOf(github, 'ghp_wrong').rest.repos.get(shop))).message).toBe('Bad credentials');
    expect(await refused(octokitOf(github).rest.issues.create({ ...shop, title: 'x' }))).toMatchObject({
      status: 401,
      message: 'Requires authentication',
    });
    expect((await refused(olga.rest.git.createBlob({ ...shop, content: 'x' }))).status).toBe(403);
    expect((await octokitOf(github, github.createToken('olga')).rest.users.getAuthenticated()).data.login).toBe('olga');
    expect(
      (await refused(octokitOf(github, github.createToken({ installation: 'acme' })).rest.users.getAuthenticated()))
        .status,
    ).toBe(403);
  });

  it('answers for archived, disabled, renamed and deleted repositories', async () => {
    const app = appOctokit(github, 'acme');
    const made = await Promise.all(
      ['old', 'off', 'before'].map((name) => github.addRepository({ owner: 'acme', name, files: { a: '1\n' } })),
    );
    Object.assign(made[0]!, { archived: true });
    Object.assign(made[1]!, { disabled: true });
    const { number } = await github.openIssue('acme/before', { by: 'alice', title: 'Moves along' });
    github.renameRepository('acme/before', 'after');

    expect((await app.rest.repos.get({ owner: 'acme', repo: 'old' })).data.archived).toBe(true);
    expect((await refused(app.rest.issues.create({ owner: 'acme', repo: 'old', title: 'x' }))).message).toBe(
      'Repository was archived so is read-only.',
    );
    expect((await refused(app.rest.repos.get({ owner: 'acme', repo: 'off' }))).message).toBe(
      'Repository access blocked',
    );
    expect((await app.rest.issues.get({ owner: 'acme', repo: 'before', issue_number: number })).data.title).toBe(
      'Moves along',
    );
    expect(github.requests.at(-2)).toMatchObject({ path: `/repos/acme/before/issues/${number}`, status: 301 });
    const comment = await app.rest.issues.createComment({
      owner: 'acme',
      repo: 'before',
      issue_number: number,
      body: 'still here',
    });
    expect(comment.data.url).toContain('/repos/acme/after/');
    github.deleteRepository('acme/after');
    expect((await refused(app.rest.repos.get({ owner: 'acme', repo: 'after' }))).status).toBe(404);
  });

  it("refuses a suspended installation's tokens, and takes them away with the installation", async () => {
    const lib = { owner: 'other', repo: 'lib' };
    const octokit = octokitOf(github, github.createToken({ installation: 'other' }));

    github.suspendInstallation('other');
    expect(await refused(octokit.rest.repos.get(lib))).toMatchObject({
      status: 403,
      message: 'This installation has been suspended',
    });
    github.suspendInstallation('other', false);
    expect((await octokit.rest.repos.get(lib)).status).toBe(200);
    github.uninstall('other');
    expect((await refused(octokit.rest.repos.get(lib))).status).toBe(401);
    expect((await refused(appOctokit(github).rest.apps.getRepoInstallation(lib))).status).toBe(404);
  });

  it('leaves what a deleted user wrote to ghost', async () => {
    const { id } = await github.comment('acme/shop', issue, { by: 'gone', body: 'still here' });

    github.deleteUser('gone');

    const { data } = await appOctokit(github, 'acme').rest.issues.getComment({ ...shop, comment_id: id });
    expect(data).toMatchObject({ body: 'still here', user: { login: 'ghost' } });
    expect((await refused(octokitOf(github).rest.users.getByUsername({ username: 'gone' }))).status).toBe(404);
  });

  it('lets an Action token act in its own repository only', async () => {
    const octokit = octokitOf(github, github.createToken({ actions: 'acme/shop', permissions: { issues: 'write' } }));

    const { data } = await octokit.rest.issues.createComment({ ...shop, issue_number: issue, body: 'from CI' });

    expect(data).toMatchObject({
      user: { login: 'github-actions[bot]' },
      performed_via_github_app: { slug: 'github-actions' },
    });
    expect((await refused(octokit.rest.issues.listForRepo(vault))).status).toBe(404);
    expect((await refused(octokit.rest.git.createBlob({ ...shop, content: 'x' }))).status).toBe(403);
  });
});
