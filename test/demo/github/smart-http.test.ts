import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startGitHub, type GitHubServer } from '../../../src/demo/github/start-github.ts';
import { cloneUrl, git, octokitOf } from './clients.ts';

describe('demo-github', () => {
  let github: GitHubServer;
  let folder: string;

  beforeAll(async () => {
    github = await startGitHub();
    await github.addRepository({
      owner: 'acme',
      name: 'shop',
      files: { 'README.md': '# Shop\n', 'src/a b.ts': 'one\n' },
    });
    await github.addRepository({ owner: 'acme', name: 'vault', private: true, files: { secret: 'x\n' } });
    github.addCollaborator('acme/shop', 'wendy', 'write');
  });
  afterAll(() => github.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'demo-github-test-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('clones a public repository without a token, shallow and partial too', async () => {
    await git(folder, 'clone', '-q', cloneUrl(github, 'acme/shop'), 'full');
    await git(
      folder,
      'clone',
      '-q',
      '--filter=blob:none',
      '--no-checkout',
      '--depth=1',
      cloneUrl(github, 'acme/shop'),
      'partial',
    );

    expect(await readFile(join(folder, 'full/src/a b.ts'), 'utf8')).toBe('one\n');
    expect(await git(join(folder, 'partial'), 'ls-tree', '-r', '--name-only', 'HEAD')).toContain('README.md');
    expect(await git(join(folder, 'partial'), 'count-objects', '-v')).toContain('in-pack: 3');
  });

  it('shows REST what was pushed, and git what REST wrote', async () => {
    const token = github.createToken('wendy');
    await git(folder, 'clone', '-q', cloneUrl(github, 'acme/shop', token), '.');
    await writeFile(join(folder, 'new.txt'), 'pushed\n');
    await git(folder, 'checkout', '-q', '-b', 'topic');
    await git(folder, 'add', 'new.txt');
    await git(folder, 'commit', '-q', '-m', 'Add new.txt');

    await git(folder, 'push', '-q', 'origin', 'topic');

    const octokit = octokitOf(github, token);
    const { data } = await octokit.rest.repos.getContent({
      owner: 'acme',
      repo: 'shop',
      path: 'new.txt',
      ref: 'topic',
    });
    expect(Buffer.from((data as { content: string }).content, 'base64').toString()).toBe('pushed\n');
    expect(github.events.at(-1)).toMatchObject({
      name: 'push',
      payload: {
        ref: 'refs/heads/topic',
        created: true,
        commits: [{ added: ['new.txt'] }],
        sender: { login: 'wendy' },
      },
    });

    const sha = await github.push('acme/shop', { by: 'wendy', branch: 'topic', files: { 'new.txt': 'changed\n' } });
    await git(folder, 'pull', '-q', 'origin', 'topic');
    expect(await git(folder, 'rev-parse', 'HEAD')).toBe(sha);
  });

  it('keeps refs/pull/N/head at the head of the pull request, also for a fork that is gone', async () => {
    const fork = await github.addFork('acme/shop', 'olga');
    await github.push(fork, { by: 'olga', branch: 'idea', files: { 'idea.txt': 'one\n' } });
    const { number } = await github.openPull('acme/shop', {
      by: 'olga',
      title: 'Idea',
      head: 'olga:idea',
      base: 'main',
    });
    const head = await github.push(fork, { by: 'olga', branch: 'idea', files: { 'idea.txt': 'two\n' } });
    github.deleteRepository(fork);

    await git(folder, 'init', '-q');
    await git(folder, 'fetch', '-q', cloneUrl(github, 'acme/shop'), `refs/pull/${number}/head`);

    expect(await git(folder, 'rev-parse', 'FETCH_HEAD')).toBe(head);
    const { data } = await octokitOf(github).rest.pulls.get({ owner: 'acme', repo: 'shop', pull_number: number });
    expect(data.head).toMatchObject({ repo: null, sha: head });
    expect(github.events.map(({ name, action }) => `${name} ${action}`)).toContain('pull_request synchronize');
  });

  it.each([
    ['a private repository without a token', 'acme/vault', undefined, /could not read Username|Authentication failed/],
    ['a private repository with a stranger', 'acme/vault', 'olga', /not found/],
    ['a wrong token', 'acme/shop', 'nonsense', /Authentication failed|invalid credentials|could not read/],
  ])('refuses to serve %s', async (_, name, login, message) => {
    const token = login === 'nonsense' ? 'ghp_wrong' : login && github.createToken(login);
    const header = token ? ['-c', `http.extraheader=Authorization: Basic ${btoa(`x-access-token:${token}`)}`] : [];

    await expect(git(folder, ...header, 'clone', cloneUrl(github, name), '.')).rejects.toThrow(message);
  });

  it('refuses a push by someone who may not, to a protected branch, and of a workflow by an app without that permission', async () => {
    github.protectBranch('acme/shop', 'main');
    const commit = async (path: string) => {
      await git(folder, 'init', '-q', '-b', 'work');
      await git(folder, 'pull', '-q', cloneUrl(github, 'acme/shop'), 'main');
      await git(folder, 'config', 'core.hooksPath', '/dev/null');
      await git(folder, 'read-tree', 'HEAD');
      await writeFile(join(folder, 'x.yml'), 'x\n');
      const blob = await git(folder, 'hash-object', '-w', 'x.yml');
      await git(folder, 'update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
      await git(folder, 'commit', '-q', '-m', `Add ${path}`);
    };
    await commit('.github/workflows/ci.yml');
    const push = (token: string, to: string) =>
      git(folder, 'push', cloneUrl(github, 'acme/shop', token), `HEAD:refs/heads/${to}`);

    await expect(push(github.createToken('olga'), 'x')).rejects.toThrow(/403/);
    await expect(push(github.createToken('wendy'), 'main')).rejects.toThrow(
      /GH006: Protected branch update failed for refs\/heads\/main/,
    );
    await expect(push(github.createToken({ installation: 'acme' }), 'x')).rejects.toThrow(
      /refusing to allow a GitHub App to create or update workflow `.github\/workflows\/ci.yml` without `workflows` permission/,
    );
    await push(github.createToken('wendy'), 'x');
    expect(github.requests.filter(({ kind, status }) => kind === 'git' && status === 403)).toHaveLength(1);
  });

  it('accepts a push as large as several pkt-line buffers, compressed and chunked', async () => {
    const token = github.createToken('wendy');
    await git(folder, 'clone', '-q', cloneUrl(github, 'acme/shop', token), '.');
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 2_654_435_761) >>> 13));
    await writeFile(join(folder, 'big.bin'), bytes);
    await git(folder, 'add', 'big.bin');
    await git(folder, 'commit', '-q', '-m', 'Big');

    await git(folder, 'push', '-q', 'origin', 'HEAD:refs/heads/big');

    const { data } = await octokitOf(github).rest.repos.getBranch({ owner: 'acme', repo: 'shop', branch: 'big' });
    expect(data.commit.sha).toBe(await git(folder, 'rev-parse', 'HEAD'));
  });
});
