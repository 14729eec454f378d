import { createHmac, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGitHub } from '../src/demo/github/start-github.ts';
import { startAppProcess } from './app-process.ts';
import { quantile, ratioRow, takeTurns } from './benchmark.ts';
import type { Benchmark } from './benchmark.ts';

const CONNECTIONS = 16;
const PAYLOAD_BYTES = 30_000;
const ROUND_MS = 3_000;
const PACED = { perSecond: 200, ms: 5_000 };

/** B8: deliveries a second, signature checked and durably stored, beside a bare Probot; and how long one takes at 200/s. */
export const intake: Benchmark = {
  id: 'B8',
  async run(rounds) {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-bench-intake-'));
    const github = await startGitHub();
    const [ours, bare] = await Promise.all([
      startAppProcess('app-server.ts', { github, more: { DSH_DATA_DIR: folder, DEEPSEEK_API_KEY: 'k' } }),
      startAppProcess('bare-probot.ts', { github, more: {} }),
    ]);
    const body = payload();
    const secret = github.app.webhookSecret;
    try {
      for (const { url } of [ours, bare]) await rate(url, body, secret, 500);
      const [figure, reference] = await takeTurns(
        rounds,
        () => rate(ours.url, body, secret, ROUND_MS),
        () => rate(bare.url, body, secret, ROUND_MS),
      );
      const p99 = await pacedP99(ours.url, body, secret);
      return [
        ratioRow('B8', 'webhook intake', { figure, reference, unit: 'deliveries/s' }, { atLeast: 0.75 }),
        {
          ...{ id: 'B8', what: `p99 at ${PACED.perSecond}/s`, figure: `${p99.toFixed(1)} ms`, reference: '' },
          ...{ ratio: undefined, mark: '≤ 50 ms', met: p99 <= 50 },
        },
      ];
    } finally {
      await Promise.all([ours.close(), bare.close(), github.close()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** A comment that asks nothing of us, as most are. */
function payload(): string {
  const user = { id: 5, login: 'maria', type: 'User' };
  const owner = { id: 1, login: 'acme', type: 'Organization' };
  const base = {
    action: 'created',
    issue: { id: 4, number: 7, title: 'An issue', body: '', user, state: 'open' },
    comment: { id: 9, body: '', user, html_url: 'https://github.test/c/9', author_association: 'MEMBER' },
    repository: { id: 3, name: 'shop', full_name: 'acme/shop', owner, private: false, default_branch: 'main' },
    sender: user,
    installation: { id: 2 },
  };
  const text = 'a remark without a command; '.repeat(PAYLOAD_BYTES / 28);
  return JSON.stringify({ ...base, comment: { ...base.comment, body: text } });
}

async function rate(url: string, body: string, secret: string, ms: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const until = performance.now() + ms;
  let sent = 0;
  const startedAt = performance.now();
  const connection = async () => {
    while (performance.now() < until) {
      await deliver(url, body, secret, agent);
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();
  return sent / ((performance.now() - startedAt) / 1_000);
}

/** Sent by the clock, however long the answers take. */
async function pacedP99(url: string, body: string, secret: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  const sent: Promise<void>[] = [];
  const startedAt = performance.now();
  const count = (PACED.perSecond * PACED.ms) / 1_000;
  for (let n = 0; n < count; n++) {
    await sleep(Math.max(0, startedAt + (n * 1_000) / PACED.perSecond - performance.now()));
    const at = performance.now();
    sent.push(deliver(url, body, secret, agent).then(() => void times.push(performance.now() - at)));
  }
  await Promise.all(sent);
  agent.destroy();
  return quantile(times, 0.99);
}

/** The signature is made once: it is of the body alone. */
const signatures = new Map<string, string>();

function deliver(url: string, body: string, secret: string, agent: Agent): Promise<void> {
  const signature = signatures.get(body) ?? createHmac('sha256', secret).update(body).digest('hex');
  signatures.set(body, signature);
  const headers = {
    ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    ...{ 'x-github-event': 'issue_comment', 'x-github-delivery': randomUUID() },
    'x-hub-signature-256': `sha256=${signature}`,
  };
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if ((response.statusCode ?? 500) < 300) resolve();
        else reject(new Error(`answered ${response.statusCode}`));
      });
    });
    sending.on('error', reject).end(body);
  });
}
