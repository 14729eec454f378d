import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGitHub } from '../src/demo/github/start-github.ts';
import type { GitHubServer } from '../src/demo/github/start-github.ts';
import { startAppProcess } from './app-process.ts';
import type { AppProcess } from './app-process.ts';
import { median, ratioRow } from './benchmark.ts';
import type { Benchmark } from './benchmark.ts';

const REPO = 'acme/shop';
/** Probot's own pace is a write a second. */
const PAUSE_MS = 1_200;
const WARM_UP = 2;
const SAMPLES = 8;

/** B12: from the comment's webhook to the `eyes` request, through the App and through a bare Probot handler. */
export const firstSign: Benchmark = {
  id: 'B12',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-bench-sign-'));
    const github = await startGitHub();
    await github.addRepository({ owner: 'acme', name: 'shop', files: { 'README.md': 'shop\n' } });
    github.addCollaborator(REPO, 'maria', 'write');
    const gate = await startGate(github);
    // Without an engine the job ends at once: the sign is what is measured.
    const nothing = { DSH_DATA_DIR: folder, DEEPSEEK_API_KEY: 'k', DOCKER_HOST: `unix://${folder}/none.sock` };
    const ours = await startAppProcess('app-server.ts', { github, apiUrl: gate.apiUrl, more: nothing });
    const bare = await startAppProcess('bare-probot.ts', { github, apiUrl: gate.apiUrl, more: { HANDLER: 'eyes' } });
    const times = { ours: [] as number[], bare: [] as number[] };
    try {
      for (let n = 0; n < WARM_UP + SAMPLES; n++) {
        for (const [name, app] of Object.entries({ ours, bare }) as ['ours' | 'bare', AppProcess][]) {
          const ms = await signMs(github, gate, app);
          if (n >= WARM_UP) times[name].push(ms);
          await sleep(PAUSE_MS);
        }
      }
      const row = { figure: median(times.ours), reference: median(times.bare), unit: 'ms' };
      return [ratioRow('B12', 'comment to eyes', row, { atMost: 2 })];
    } finally {
      await Promise.all([ours.close(), bare.close()]);
      gate.server.close();
      gate.server.closeAllConnections();
      await github.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Gate {
  readonly server: Server;
  readonly apiUrl: string;
  onEyes: () => void;
}

/** Stands before the test GitHub and tells when a reaction is asked for. */
async function startGate(github: GitHubServer): Promise<Gate> {
  const target = new URL(github.apiUrl);
  const server = createServer((incoming, response) => {
    if (incoming.method === 'POST' && incoming.url?.endsWith('/reactions')) gate.onEyes();
    const options = { method: incoming.method, headers: incoming.headers, path: incoming.url, port: target.port };
    const forward = request({ ...options, host: target.hostname }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const gate: Gate = { server, apiUrl: `http://127.0.0.1:${port}${target.pathname}`, onEyes: () => {} };
  return gate;
}

async function signMs(github: GitHubServer, gate: Gate, app: AppProcess): Promise<number> {
  github.setWebhookTarget(undefined);
  const { number } = await github.openIssue(REPO, { by: 'maria', title: 'An issue', body: '' });
  await github.settled();
  github.setWebhookTarget(app.url);
  const { promise, resolve } = Promise.withResolvers<number>();
  const startedAt = performance.now();
  gate.onEyes = () => resolve(performance.now() - startedAt);
  await github.comment(REPO, number, { by: 'maria', body: '/dsh fix' });
  return promise;
}
