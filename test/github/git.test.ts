import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { git, gitText } from '../../src/github/git/git.ts';
import { gitEnvironment } from '../../src/github/git/git-environment.ts';
import { redactGit } from '../../src/github/git/redact-git.ts';
import { openMirror } from '../../src/github/git/mirror.ts';
import { fetchRefs } from '../../src/github/git/mirror.ts';
import { GitFixture, writeFiles } from './support/git-fixture.ts';

const TOKEN = 'ghs_abcdefghijklmnopqrstuvwxyz0123456789';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dsh-git-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('bot-fix', () => {
  it('C2 hands credentials to one child by its environment, for one origin', () => {
    const credentials = { url: 'https://github.example/acme/shop.git', token: TOKEN };

    const environment = gitEnvironment({ gitDir: '/x' }, credentials);

    const [at] = Object.entries(environment).find(([, value]) => value.includes('extraheader'))!;
    expect(environment[at]).toBe('http.https://github.example/.extraheader');
    expect(environment[at.replace('KEY', 'VALUE')]).toMatch(/^AUTHORIZATION: basic /);
    expect(Object.values(gitEnvironment({ gitDir: '/x' })).join()).not.toContain('AUTHORIZATION');
  });

  it('C2 sends a token of the moment to the remote and leaves none on disk', async () => {
    const headers: (string | undefined)[] = [];
    const server = await listen((header) => headers.push(header));
    const cloneUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acme/shop.git`;
    const tokens = ['first-token-1234567890', 'second-token-1234567890'];
    const repository = { id: 1, owner: 'acme', repo: 'shop', cloneUrl, sizeMb: 1 };

    const mirror = await openMirror(repository, { dataDir: root, tokens: async () => tokens.shift()! });
    const failures = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      failures.push(await fetchRefs(mirror, ['+refs/heads/main:refs/heads/main']).catch((error: unknown) => error));
    }
    server.close();

    const sent = headers.map((header) => Buffer.from(header!.split(' ')[1]!, 'base64').toString());
    expect(new Set(sent)).toEqual(
      new Set(['x-access-token:first-token-1234567890', 'x-access-token:second-token-1234567890']),
    );
    expect(contents(root)).not.toMatch(/token-1234567890|AUTHORIZATION|x-access-token/i);
    expect(String(failures)).not.toContain('token-1234567890');
  });

  it('C3 ignores system and global configuration, and settings a git directory brings', async () => {
    const gitDir = join(root, 'g.git');
    await git(['init', '--quiet', '--bare', '--template='], { gitDir });
    writeFiles(root, { 'g.git/config': '[core]\n\thooksPath = /tmp/evil\n\tfsmonitor = touch evil\n\tbare = true\n' });

    expect(await gitText(['config', '--get', 'core.hooksPath'], { gitDir })).toBe('/dev/null');
    expect(await gitText(['config', '--get', 'core.fsmonitor'], { gitDir })).toBe('false');
    expect(await gitText(['config', '--get', 'protocol.file.allow'], { gitDir })).toBe('user');
    expect(await gitText(['config', '--get-all', 'safe.directory'], { gitDir })).toBe(gitDir);
    const origins = await gitText(['config', '--list', '--show-scope'], { gitDir });
    expect(new Set(origins.split('\n').map((line) => line.split('\t')[0]))).toEqual(new Set(['local', 'command']));
  });

  it.each(['ext::sh -c touch% evil', 'git://127.0.0.1/x', 'ssh://127.0.0.1/x'])(
    'C3 speaks no other protocol than HTTP and files: %s',
    async (url) => {
      const gitDir = join(root, 'g.git');
      await git(['init', '--quiet', '--bare', '--template='], { gitDir });

      await expect(git(['ls-remote', url], { gitDir })).rejects.toThrow(/transport .* not allowed/);
    },
  );

  it('C3 inherits nothing of the process’s own environment', () => {
    expect(Object.keys(gitEnvironment({ gitDir: '/x' })).filter((name) => !name.startsWith('GIT_'))).toEqual([
      'PATH',
      'HOME',
      'LC_ALL',
    ]);
  });

  it('C3 ends a child when the work is given up', async () => {
    const gitDir = join(root, 'g.git');
    await git(['init', '--quiet', '--bare', '--template='], { gitDir });
    const server = await listen(() => {}, { silent: true });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`;

    const running = git(['ls-remote', url], { gitDir, signal: AbortSignal.timeout(200) });

    await expect(running).rejects.toMatchObject({ name: expect.stringMatching(/AbortError|TimeoutError/) });
    server.closeAllConnections();
    server.close();
  });
});

describe('cases', () => {
  it('K4 takes the token out of what git says, in every form', () => {
    const encoded = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');
    const said = `fatal: unable to access 'https://x-access-token:${TOKEN}@github.com/a/b/': ${encoded} authorization: basic ${encoded}`;

    const redacted = redactGit(said, TOKEN);

    expect(redacted).not.toContain(TOKEN);
    expect(redacted).not.toContain(encoded);
    expect(redacted).toContain("unable to access 'https://***@github.com/a/b/'");
    expect(redactGit(said)).not.toMatch(/x-access-token:ghs/);
  });

  it('K4 leaves no token in a session’s git directory or tree', async () => {
    const fixture = new GitFixture();
    fixture.commit({ 'a.txt': 'a\n' });

    await fixture.open({ kind: 'branch' }, { tokens: async () => TOKEN });

    expect(contents(fixture.dataDir)).not.toContain(TOKEN);
    fixture.close();
  });
});

/** Answers nothing useful, and tells the authorization header of each request. */
async function listen(seen: (header: string | undefined) => void, { silent = false } = {}): Promise<Server> {
  const server = createServer((request, response) => {
    seen(request.headers.authorization);
    if (!silent) response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function contents(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return names
    .filter((name) => statSync(name).isFile())
    .map((name) => readFileSync(name, 'latin1'))
    .join('\n');
}
