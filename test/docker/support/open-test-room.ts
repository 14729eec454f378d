import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { RoomOptions, Room } from '../../../src/bot/job/room.ts';
import { JOB_TOOLS } from '../../../src/bot/prompts/sections.ts';
import { DEFAULT_CONFIG } from '../../../src/config/default-config.ts';
import { connectEngine } from '../../../src/docker/engine.ts';
import { git } from '../../../src/github/git/git.ts';
import type { Context } from '../../../src/harness/kernel/context.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { defineTool } from '../../../src/harness/tools/define-tool.ts';
import { openRoom } from '../../../src/room/open-room.ts';
import type { RoomParts } from '../../../src/room/open-room.ts';
import type { JobKind } from '../../../src/triggers/reading.ts';
import { Redactor } from '../../../src/publish/redact.ts';
import type { ScriptedModel } from '../../support/scripted-model.ts';
import { sessionsIn } from '../../support/sessions-in.ts';
import { IMAGE } from './sandbox-bench.ts';

export interface TestRoomOptions {
  /** Of logs, spills and sockets. */
  readonly folder: string;
  readonly tree: string;
  readonly session: string;
  readonly model: ScriptedModel;
  readonly options?: Partial<RoomOptions>;
  readonly parts?: Partial<RoomParts>;
}

/** A session as the product opens it, with a real container: a trusted fix, where nothing else is said. */
export async function openTestRoom({ folder, tree, session, model, ...rest }: TestRoomOptions): Promise<Room> {
  const gitDir = await mkdtemp(join(folder, 'git-'));
  await git(['init', '--quiet', '--bare', '--template='], { gitDir });
  const repository = { id: 1, owner: 'o', repo: 'r', cloneUrl: '', sizeMb: 1 };
  const mirror = { repository, gitDir, settings: { dataDir: folder } };
  const target = { provider: 'scripted', model: 'scripted' };
  const { kind = 'fix' } = rest.options ?? {};
  const standing = { kind: 'fix', mode: 'workspace-write', profile: 'trusted', network: 'none' } as const;
  return openRoom(
    {
      ...standing,
      approvalPolicy: 'ask',
      checkout: { workTree: tree, gitDir, baseSha: '', headSha: '', ref: '', mirror },
      target,
      config: DEFAULT_CONFIG,
      session: SessionId(session),
      signal: new AbortController().signal,
      setUp: (agentCtx) => addJobTools(agentCtx, kind),
      ...rest.options,
    },
    {
      docker: connectEngine(process.env['DOCKER_HOST']),
      image: IMAGE,
      persistence: sessionsIn(join(folder, 'logs')),
      spillRoot: join(folder, 'spill'),
      socketFolder: join(folder, 'egress'),
      models: { routes: new Map([['scripted', model]]), keys: [], targetOf: () => target },
      plugins: [],
      redactor: new Redactor(),
      log: () => {},
      ...rest.parts,
    },
  );
}

/** What the job itself would bring, in name only: the prompt's order of tools speaks of all of them. */
function addJobTools(agentCtx: Context, kind: JobKind): void {
  const known = agentCtx.tools.knownNames();
  for (const name of JOB_TOOLS[kind].filter((name) => !known.includes(name))) {
    agentCtx.tools.register(defineTool({ name, description: name, parameters: {}, execute: async () => [] }));
  }
}
