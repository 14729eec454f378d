import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IMAGE } from './support/sandbox-bench.ts';

/** Takes minutes and the package registries: `DSH_LONG_TESTS=1`. */
const isLong = process.env['DSH_LONG_TESTS'] === '1';
const LIMIT_MS = 900_000;
const ROOT = join(import.meta.dirname, '../..');
const tag = (name: string) => `dsh-test-${name}:local`;

async function docker(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('docker', args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** The local tools image, which trusts whom this machine trusts. */
async function buildBase(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-base-'));
  const trusted = process.env['NODE_EXTRA_CA_CERTS'];
  const lines = [`FROM ${IMAGE}`];
  if (trusted) {
    await copyFile(trusted, join(folder, 'trusted.crt'));
    lines.push('COPY trusted.crt /etc/ssl/certs/ca-certificates.crt');
    lines.push('ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt');
  }
  await writeFile(join(folder, 'Dockerfile'), lines.join('\n'));
  await docker('build', '--quiet', '--tag', tag('base'), folder);
  await rm(folder, { recursive: true });
}

function build(target: string): Promise<string> {
  const bases = ['--build-arg', `SANDBOX_BASE=${tag('base')}`, '--build-arg', `APP_BASE=${tag('base')}`];
  return docker('build', '--quiet', '--target', target, ...bases, '--tag', tag(target), '.');
}

(isLong ? describe : describe.skip)('bot-hosts', () => {
  beforeAll(buildBase, LIMIT_MS);
  afterAll(async () => {
    await docker('rmi', '--force', tag('app'), tag('sandbox'), tag('base'));
  }, LIMIT_MS);

  it(
    'H6 builds the tools image on a base of one’s own',
    async () => {
      await build('sandbox');

      const tools =
        'git --version && rg --version && python3 --version && node --version && make --version && cc --version';
      expect(await docker('run', '--rm', '--network', 'none', tag('sandbox'), 'bash', '-c', tools)).toMatch(
        /git version/,
      );
    },
    LIMIT_MS,
  );

  it(
    'H6 builds the server, which is no root, can be asked for its health and has the agent with it',
    async () => {
      await build('app');

      const { User, Healthcheck, Cmd } = JSON.parse(
        await docker('inspect', '--format', '{{json .Config}}', tag('app')),
      ) as {
        User: string;
        Healthcheck: { Test: string[] };
        Cmd: string[];
      };
      expect({ User, Cmd }).toEqual({ User: 'dsh', Cmd: ['node', 'lib/cli.js', 'serve'] });
      expect(Healthcheck.Test.join(' ')).toContain('/healthz');
      const look = 'id -u && node lib/cli.js --help && test -s lib/docker/sandbox-agent.js && ! touch /app/x';
      expect(await docker('run', '--rm', '--network', 'none', tag('app'), 'sh', '-c', look)).toMatch(/^10001\n.*dsh/s);
    },
    LIMIT_MS,
  );
});
