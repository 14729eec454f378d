import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { submitResultTool } from '../src/bot/fix/submit-result.ts';
import type { Room } from '../src/bot/job/room.ts';
import { DEFAULT_CONFIG } from '../src/config/default-config.ts';
import { DEFAULT_SANDBOX_IMAGE } from '../src/docker/default-image.ts';
import { connectEngine } from '../src/docker/engine.ts';
import type { Checkout } from '../src/github/git/checkout.ts';
import { SessionId } from '../src/harness/session/types.ts';
import { createModels } from '../src/models/create-models.ts';
import { openRoom } from '../src/room/open-room.ts';
import { Redactor } from '../src/publish/redact.ts';
import { openStore } from '../src/store/open-store.ts';
import type { Store } from '../src/store/open-store.ts';

export interface BenchRoom {
  readonly room: Room;
  close(): Promise<void>;
}

/** The bot's own room: real sandbox, durable log in `folder`, the model at `baseUrl`. The same session is resumed. */
export async function openBenchRoom(folder: string, baseUrl: string, session = 'bench-1'): Promise<BenchRoom> {
  const env = { DSH_MODEL: 'bench/bench', DSH_MODEL_BASE_URL: baseUrl };
  const identity = { product: 'dsh-bench', version: '0', url: 'https://example.com' };
  const models = createModels({ env, identity, now: () => new Date(), apiKey: 'bench-key' });
  const store = openStore({ dataDir: folder, databaseUrl: undefined, now: () => new Date() });
  const room = await openRoom(await roomOptions(join(folder, session), session), {
    docker: connectEngine(process.env['DOCKER_HOST']),
    image: DEFAULT_SANDBOX_IMAGE,
    persistence: store.persistence(),
    spillRoot: join(folder, 'spill'),
    socketFolder: join(folder, 'egress'),
    models,
    plugins: [],
    redactor: new Redactor(),
    log: console.error,
  });
  return { room, close: () => closeAll(room, store) };
}

async function roomOptions(folder: string, session: string): Promise<Parameters<typeof openRoom>[0]> {
  return {
    session: SessionId(session),
    kind: 'fix',
    mode: 'workspace-write',
    profile: 'trusted',
    network: 'none',
    approvalPolicy: 'never',
    checkout: await checkout(folder),
    target: { provider: 'bench', model: 'bench' },
    config: DEFAULT_CONFIG,
    signal: new AbortController().signal,
    title: { text: 'bench', of: 'request' },
    setUp: (agentCtx) =>
      void agentCtx.tools.register(submitResultTool({ review: async () => undefined, accept: () => {} })),
  };
}

async function closeAll(room: Room, store: Store): Promise<void> {
  await room.close();
  await store.close();
}

async function checkout(folder: string): Promise<Checkout> {
  const [workTree, gitDir] = [join(folder, 'tree'), join(folder, 'git')];
  // By hand: a start of git would be measured with ours.
  for (const path of [workTree, join(gitDir, 'objects'), join(gitDir, 'refs')]) await mkdir(path, { recursive: true });
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
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
