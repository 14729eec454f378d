import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cleanEnv, ratioRow, takeTurns } from './benchmark.ts';
import type { Benchmark, Row } from './benchmark.ts';

const DIST = join(import.meta.dirname, '../dist');
const BUNDLE = join(DIST, 'action.js');

/** B17: size of the Action's bundle, and against an empty one its whole run for an event that is nobody's, and its start for one that is ours. */
export const bundle: Benchmark = {
  id: 'B17',
  async run(rounds) {
    const folder = mkdtempSync(join(tmpdir(), 'dsh-bench-'));
    const empty = join(folder, 'empty.mjs');
    writeFileSync(empty, '');
    const github = createServer().listen(0, '127.0.0.1');
    await once(github, 'listening');
    const url = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
    const [nobodys, ours] = [runnerOf(folder, url, 'Thank you!', 'Bot'), runnerOf(folder, url, '/dsh fix', 'User')];
    const emptyRun = async () => runMs(empty, {});
    try {
      const [ignoring, reference] = await takeTurns(rounds * 3, async () => runMs(BUNDLE, nobodys), emptyRun);
      const asked = async () => {
        const startedAt = performance.now();
        const child = spawn(process.execPath, [BUNDLE], { env: ours, stdio: 'ignore' });
        await once(github, 'request');
        const tookMs = performance.now() - startedAt;
        child.kill('SIGKILL');
        await once(child, 'close');
        return tookMs;
      };
      const [asking, other] = await takeTurns(rounds * 3, asked, emptyRun);
      return [
        size(),
        ratioRow('B17', 'an event that is nobody’s', { figure: ignoring, reference, unit: 'ms' }, { atMost: 4 }),
        ratioRow('B17', 'start to first request', { figure: asking, reference: other, unit: 'ms' }, { atMost: 8 }),
      ];
    } finally {
      github.closeAllConnections();
      github.close();
      rmSync(folder, { recursive: true });
    }
  },
};

/** All that GitHub runs, but for the agent, which the sandbox does. */
function size(): Row {
  const files = readdirSync(DIST).filter((name) => name.endsWith('.js') && name !== 'sandbox-agent.js');
  const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(DIST, name))).length, 0);
  const megabytes = bytes / 1e6;
  return {
    id: 'B17',
    what: 'size of the bundle, gzip',
    figure: `${megabytes.toFixed(2)} MB`,
    reference: '',
    ratio: undefined,
    mark: '≤ 3 MB',
    met: megabytes <= 3,
  };
}

/** What a runner gives the Action for a comment. */
function runnerOf(folder: string, apiUrl: string, body: string, type: 'Bot' | 'User'): NodeJS.ProcessEnv {
  const user = { id: 1, login: type === 'Bot' ? 'github-actions[bot]' : 'maria', type };
  const event = {
    ...{ action: 'created', sender: user },
    issue: { id: 1, number: 1, title: 'A slip', user, html_url: 'https://github.com/acme/shop/issues/1' },
    comment: { id: 2, body, user, author_association: 'MEMBER' },
    repository: { id: 3, name: 'shop', full_name: 'acme/shop', owner: { login: 'acme' } },
  };
  const path = join(folder, `${type}.json`);
  writeFileSync(path, JSON.stringify(event));
  return {
    ...cleanEnv(),
    ...{ GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'issue_comment', GITHUB_EVENT_PATH: path, GITHUB_API_URL: apiUrl },
    ...{ RUNNER_TEMP: folder, 'INPUT_GITHUB-TOKEN': 'a-token', 'INPUT_API-KEY': 'a-model-key' },
    INPUT_MODEL: 'deepseek/deepseek-chat',
  };
}

function runMs(file: string, env: NodeJS.ProcessEnv): number {
  const startedAt = performance.now();
  spawnSync(process.execPath, [file], { env: { ...cleanEnv(), ...env }, stdio: 'ignore' });
  return performance.now() - startedAt;
}
