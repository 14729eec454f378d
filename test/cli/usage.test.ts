import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { prepareDataDir } from '../../src/cli/prepare-data-dir.ts';
import { readPrivateKey } from '../../src/cli/read-private-key.ts';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { Env } from '../../src/config/env.ts';
import { runDsh } from '../e2e/support/run-dsh.ts';

const URL = 'https://github.com/acme/shop/issues/1';
const APP = { APP_ID: '1', WEBHOOK_SECRET: 'a-secret-of-hooks', PORT: '0' };
let folder: string;
let file: string;
let home: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dsh-usage-'));
  file = join(folder, 'file');
  await writeFile(file, 'no log, no key, no event');
  home = { HOME: folder, DSH_DATA_DIR: join(folder, 'data'), GITHUB_TOKEN: 'x-token-of-maria', DEEPSEEK_API_KEY: 'k' };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('bot-hosts', () => {
  it.each([
    ['no command of that name', ['nope', '--json']],
    ['a missing address', ['fix', '--json']],
    ['an option that the command does not have', ['serve', '--json']],
    ['no question', ['ask', URL, '--json']],
    ['an empty question', ['ask', URL, ' ', '--json']],
    ['no address', ['fix', 'nonsense', '--json']],
    ['an empty model name', ['fix', URL, '--model', 'deepseek/', '--json']],
    ['an empty model', ['fix', URL, '--model', '', '--json']],
    ['a session that is not there', ['sessions', 'show', 'none', '--json']],
    ['a folder to replay', ['replay', '/etc', '--json']],
    ['what is below a file', ['replay', '/etc/passwd/x', '--json']],
  ])('%s: wrong use, exit code 2, one JSON document', async (_, args) => {
    const { code, stdout, stderr } = await runDsh(args, home);

    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      status: 'usage',
      exitCode: 2,
      result: null,
      problem: { code: 'USAGE', message: expect.any(String), hint: expect.any(String) },
    });
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it.each([
    ['a key that is none', ['serve'], { ...APP, PRIVATE_KEY: 'foo' }, 'PRIVATE_KEY is not an RSA private key'],
    ['no file of the key', ['serve'], { ...APP, PRIVATE_KEY_PATH: '/nope' }, '/nope, which cannot be read (ENOENT)'],
    ['a data directory that is a file', ['sessions'], { DSH_DATA_DIR: '/etc/passwd' }, 'cannot be used (ENOTDIR)'],
    ['one below a file', ['fix', URL], { DSH_DATA_DIR: '/etc/passwd/x' }, 'cannot be used (ENOTDIR)'],
    ['one where nothing can be made', ['sessions'], { DSH_DATA_DIR: '/proc/nope/x' }, '/proc/nope/x cannot be used'],
  ] as const)('%s: wrong configuration, exit code 2, and what to set', async (_, args, variables, message) => {
    const { code, stderr } = await runDsh(args, { ...home, ...variables });

    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).toMatch(/^Set \w+/m);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('Ctrl-C while GitHub does not answer: exit code 130, one JSON document', async () => {
    const interrupt = new AbortController();
    const silent = createServer(() => interrupt.abort());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const variables = { ...home, GITHUB_API_URL: `http://127.0.0.1:${port}` };

    const { code, stdout } = await runDsh(['fix', URL, '--json'], variables, interrupt.signal, 'SIGINT');
    silent.closeAllConnections();
    silent.close();

    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'interrupted', problem: { code: 'INTERRUPTED' } });
  });

  it('`dsh serve` on a port that is taken: exit code 2', async () => {
    const github = await startGitHub();
    const { app, apiUrl, port } = github;
    const variables = { ...home, ...APP, APP_ID: String(app.id), PRIVATE_KEY: app.privateKey, GITHUB_API_URL: apiUrl };

    const { code, stderr } = await runDsh(['serve'], { ...variables, PORT: String(port) });
    await github.close();

    expect([code, stderr]).toEqual([2, expect.stringContaining(`Cannot listen on 127.0.0.1:${port} (EADDRINUSE).`)]);
  });

  it('`--json` with `--help` prints the document alone on stdout', async () => {
    const { code, stdout, stderr } = await runDsh(['fix', '--help', '--json'], home);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ status: 'done', exitCode: 0, result: null, problem: null });
    expect(stderr).toContain('Usage: dsh fix');
  });

  it('`--json` after `--` is text', async () => {
    const { stdout } = await runDsh(['sessions', 'show', '--', '--json'], home);

    expect(stdout).toBe('');
  });

  it('H8 an event file that is missing or holds no event is named', async () => {
    const nothing = join(folder, 'null.json');
    await writeFile(nothing, 'null');
    for (const path of ['/nope', file, nothing]) {
      const { code, stdout } = await runDsh(['action'], {
        ...home,
        GITHUB_EVENT_NAME: 'issues',
        GITHUB_EVENT_PATH: path,
      });

      expect(code).toBe(1);
      expect(stdout).toContain(`::error::GITHUB_EVENT_PATH names ${path}, which holds no event.`);
    }
  });

  it('makes the data directory, for its owner alone', async () => {
    const path = join(folder, 'a', 'b');

    await prepareDataDir(path);
    await prepareDataDir(path);

    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect(await readdir(path)).toEqual([]);
  });

  it('takes an RSA key, inline or from its file, and no other', async () => {
    const format = { privateKeyEncoding: { type: 'pkcs8', format: 'pem' } } as const;
    const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
    const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048, ...format, publicKeyEncoding });
    const { privateKey: other } = generateKeyPairSync('ed25519', { ...format, publicKeyEncoding });
    const path = join(folder, 'keys', 'app.pem');
    await mkdir(join(folder, 'keys'));
    await writeFile(path, rsa);
    const read = (given: Partial<Env>) => readPrivateKey(given as Env);

    expect(await read({ PRIVATE_KEY_PATH: path })).toBe(rsa);
    expect(await read({ PRIVATE_KEY: rsa.replaceAll('\n', String.raw`\n`) })).toBe(rsa);
    for (const given of [{}, { PRIVATE_KEY: other }, { PRIVATE_KEY_PATH: folder }, { PRIVATE_KEY_PATH: file }]) {
      await expect(read(given)).rejects.toMatchObject({ code: 'CONFIG_INVALID', hint: expect.any(String) });
    }
  });
});
