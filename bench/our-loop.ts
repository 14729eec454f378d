import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { submitResultTool } from '../src/bot/submit-result.ts';
import { DEFAULT_CONFIG } from '../src/config/config.ts';
import { DEFAULT_SANDBOX_IMAGE } from '../src/docker/default-image.ts';
import { connectEngine } from '../src/docker/engine.ts';
import { git } from '../src/github/git/git.ts';
import type { Checkout } from '../src/github/git/checkout.ts';
import { SessionId } from '../src/harness/session/types.ts';
import { createModels } from '../src/models/create-models.ts';
import { openRoom } from '../src/open-room.ts';
import { Redactor } from '../src/publish/redact.ts';
import { openStore } from '../src/store/open-store.ts';

/** One turn of the real thing against the timed model: real sandbox, durable log, the bot's own room. */
const folder = await mkdtemp(join(tmpdir(), 'dsh-bench-'));
try {
  await turn(process.argv[2] ?? '');
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function turn(baseUrl: string): Promise<void> {
  const env = { DSH_MODEL: 'bench/bench', DSH_MODEL_BASE_URL: baseUrl };
  const identity = { product: 'dsh-bench', version: '0', url: 'https://example.com' };
  const models = createModels({ env, identity, now: () => new Date(), apiKey: 'bench-key' });
  const store = openStore({ dataDir: folder, databaseUrl: undefined, now: () => new Date() });
  const room = await openRoom(
    {
      session: SessionId('bench-1'),
      kind: 'fix',
      mode: 'workspace-write',
      profile: 'trusted',
      network: 'none',
      checkout: await checkout(),
      target: { provider: 'bench', model: 'bench' },
      config: DEFAULT_CONFIG,
      signal: new AbortController().signal,
      setUp: (agentCtx) => void agentCtx.tools.register(submitResultTool(() => {})),
    },
    {
      docker: connectEngine(process.env['DOCKER_HOST']),
      image: DEFAULT_SANDBOX_IMAGE,
      persistence: store.persistence(),
      spillRoot: join(folder, 'spill'),
      socketFolder: join(folder, 'egress'),
      models,
      plugins: [],
      redactor: new Redactor(),
      log: console.error,
    },
  );
  const { agent } = room.handle;
  agent.send([{ type: 'text', text: 'go' }]);
  await agent.whenIdle();
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpuMs: (user + system) / 1_000, rssMb: process.resourceUsage().maxRSS / 1024 }));
  await room.close();
  await store.close();
}

async function checkout(): Promise<Checkout> {
  const [workTree, gitDir] = [join(folder, 'tree'), join(folder, 'git')];
  await git(['init', '--quiet', '--bare', '--template='], { gitDir });
  await mkdir(workTree);
  await writeFile(join(workTree, 'a.txt'), 'a\n');
  const repository = { id: 1, owner: 'o', repo: 'r', cloneUrl: '', sizeMb: 1 };
  return {
    workTree,
    gitDir,
    baseSha: '',
    headSha: '',
    ref: '',
    mirror: { repository, gitDir, settings: { dataDir: folder } },
  };
}
