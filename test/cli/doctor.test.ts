import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { missingRights, neededRights } from '../../src/cli/doctor/app-needs.ts';
import { judgeDeliveries } from '../../src/cli/doctor/check-github.ts';
import { find } from '../../src/cli/doctor/finding.ts';
import type { Check, Finding } from '../../src/cli/doctor/finding.ts';
import { runDoctor } from '../../src/cli/doctor/run-doctor.ts';
import { startModelServer } from '../../src/demo/model/start-model-server.ts';
import type { ModelServer } from '../../src/demo/model/start-model-server.ts';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { runDsh } from '../e2e/support/run-dsh.ts';
import { openapiValidator } from '../support/openapi-validator.ts';

const KEY = 'sk-doctor-key-0123456789';
let folder: string;
let github: GitHubServer;
let model: ModelServer;
let well: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dsh-doctor-'));
  github = await startGitHub({ validate: openapiValidator() });
  await github.addRepository({ owner: 'acme', name: 'shop', files: { a: 'b' } });
  model = await startModelServer({ script: () => ({ text: 'OK' }), apiKey: KEY });
  well = {
    ...{ HOME: folder, PATH: process.env['PATH']!, DSH_DATA_DIR: join(folder, 'data') },
    ...{ DEEPSEEK_API_KEY: KEY, DSH_MODEL_BASE_URL: model.baseUrl },
    ...{ GITHUB_API_URL: github.apiUrl, GITHUB_TOKEN: github.createToken('maria') },
    ...{ APP_ID: String(github.app.id), PRIVATE_KEY: github.app.privateKey, WEBHOOK_SECRET: github.app.webhookSecret },
    ...(process.env['DOCKER_HOST'] && { DOCKER_HOST: process.env['DOCKER_HOST'] }),
  };
});
afterAll(async () => {
  await model.close();
  await github.close();
  await rm(folder, { recursive: true, force: true });
});

async function examine(variables: Record<string, string | undefined>) {
  const lines: string[] = [];
  let findings: Finding[] = [];
  const output = {
    say: (line: string) => void lines.push(line),
    result: (value: unknown) => void (findings = value as Finding[]),
  };
  const code = await runDoctor(variables, output);
  return { code, lines, of: (name: string) => findings.find((finding) => finding.name === name), findings };
}

describe('bot-hosts', () => {
  describe('dsh doctor', () => {
    it('says of each thing that it is well', async () => {
      const { port, close } = await answering(202);
      github.setWebhookTarget(`http://127.0.0.1:${port}/api/github/webhooks`);
      await github.openIssue('acme/shop', { by: 'maria', title: 'x', body: 'y' });
      await github.settled();
      const { code, findings, lines, of } = await examine(well);
      github.setWebhookTarget(undefined);
      close();

      expect(findings.map(({ name, state }) => [name, state])).toEqual([
        ['settings', 'ok'],
        ['node', 'ok'],
        ['git', 'ok'],
        ['data directory', 'ok'],
        ['database', 'ok'],
        ['prompt cache', 'skipped'],
        ['sandbox', 'ok'],
        ['model', 'ok'],
        ['GITHUB_TOKEN', 'ok'],
        ['GitHub App', 'ok'],
        ['webhook', 'ok'],
      ]);
      expect(code).toBe(0);
      expect(lines.join('\n')).toMatch(/^ok {7}GITHUB_TOKEN: maria at http/m);
      expect(of('GitHub App')!.mend).toMatch(/checks of its branches .* CI secrets .* environment protection rules/);
      expect(model.requests.at(-1)!.body).toMatchObject({ max_tokens: 16 });
    });

    it('says why not, and how to mend it, for everything at once', async () => {
      const foreign = join(folder, 'foreign');
      await rm(foreign, { recursive: true, force: true });
      const { mkdirSync } = await import('node:fs');
      mkdirSync(foreign);
      const db = new DatabaseSync(join(foreign, 'dsh.sqlite'));
      db.exec('create table other (id integer)');
      db.close();
      const { code, of, lines } = await examine({
        ...well,
        DSH_DATA_DIR: foreign,
        DOCKER_HOST: `unix://${folder}/no-engine.sock`,
        DEEPSEEK_API_KEY: 'sk-wrong-key-0123456789',
        GITHUB_TOKEN: 'ghp_wrong',
        PRIVATE_KEY: 'foo',
      });

      expect(code).toBe(1);
      for (const name of ['database', 'sandbox', 'model', 'GITHUB_TOKEN', 'GitHub App', 'webhook']) {
        expect(of(name)).toMatchObject({ state: 'failed', what: expect.any(String), mend: expect.any(String) });
      }
      expect(of('sandbox')!.mend).toContain('Docker');
      expect(of('model')).toMatchObject({
        what: expect.stringContaining('key was rejected'),
        mend: expect.stringContaining('DEEPSEEK_API_KEY'),
      });
      expect(of('GitHub App')!.mend).toContain('PRIVATE_KEY');
      expect(lines.join('\n')).not.toContain('sk-wrong-key');
      expect(lines.filter((line) => line.startsWith('FAILED'))).toHaveLength(6);
    });

    it('tells what is not set from what is wrong', async () => {
      const { of, code } = await examine({ ...well, GITHUB_TOKEN: undefined, APP_ID: undefined });
      expect(of('GITHUB_TOKEN')).toMatchObject({ state: 'skipped', mend: expect.stringContaining('Set it') });
      expect(of('GitHub App')).toMatchObject({ state: 'skipped' });
      expect(of('webhook')).toMatchObject({ state: 'skipped' });
      expect(code).toBe(0);
    });

    it('says which setting is wrong and goes on with what needs none', async () => {
      const wrong = join(folder, 'operator.yml');
      await writeFile(wrong, 'modle: x/y\n');
      const { findings, code } = await examine({ ...well, DSH_CONFIG: wrong });
      expect(findings.map(({ name, state }) => [name, state])).toEqual([
        ['settings', 'failed'],
        ['node', 'ok'],
        ['git', 'ok'],
      ]);
      expect(findings[0]!.what).toContain('did you mean model');
      expect(code).toBe(1);
    });

    it('judges a webhook by what GitHub saw last', () => {
      const at = (status_code: number, delivered_at: string) => ({ status_code, delivered_at });
      const url = 'https://dsh.example/hook';
      const judge = (deliveries: ReturnType<typeof at>[], isAnswered: boolean) =>
        judgeDeliveries(url, deliveries, isAnswered).state;
      expect(judge([at(502, '2026-01-01'), at(202, '2026-01-02')], false)).toBe('ok');
      expect(judge([at(202, '2026-01-01'), at(0, '2026-01-02')], true)).toBe('failed');
      expect(judge([], true)).toBe('ok');
      expect(judge([], false)).toBe('warning');
    });

    it('names each right that the manifest asks for and the App lacks', () => {
      const needed = neededRights();
      expect(missingRights(needed, needed)).toEqual([]);
      const given = {
        permissions: { ...needed.permissions, contents: 'read', issues: 'admin', checks: undefined },
        events: needed.events.slice(1),
      };
      expect(missingRights(needed, given)).toEqual([
        'permission contents: write',
        'permission checks: write',
        `event ${needed.events[0]}`,
      ]);
    });

    it('waits for nothing longer than its limit', async () => {
      const never: Check = { name: 'slow', mend: 'Wait.', run: () => new Promise(() => {}) };
      expect(await find(never, 20)).toMatchObject({
        name: 'slow',
        state: 'failed',
        what: 'No answer within 0.02 seconds.',
      });
    });

    it('gives one JSON document', async () => {
      const { stdout, code } = await runDsh(['doctor', '--json'], { ...well, APP_ID: '' });
      expect(JSON.parse(stdout)).toMatchObject({ status: 'done', exitCode: 0, result: { length: 11 } });
      expect(code).toBe(0);
    });
  });
});

async function answering(status: number) {
  const server = createServer((_request, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
