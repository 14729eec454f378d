import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Profile } from '../../../src/bot/profile.ts';
import { mergeConfig } from '../../../src/config/config.ts';
import { readConfigFile } from '../../../src/config/read-config-file.ts';
import { connectEngine } from '../../../src/docker/engine.ts';
import { git } from '../../../src/github/git/git.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { openRoom } from '../../../src/open-room.ts';
import { Redactor } from '../../../src/publish/redact.ts';
import { IMAGE, makeTree } from '../../docker/support/sandbox-bench.ts';
import { text } from '../../harness/agent/agent-bench.ts';
import { ScriptedModel, calls, says } from '../../support/scripted-model.ts';
import { sessionsIn } from '../../support/sessions-in.ts';
import { hookResults, records, resultTexts } from './hook-bench.ts';

const OPERATOR = `
hooks:
  claude:
    PreToolUse:
      - matcher: bash
        hooks: [{ command: 'echo "not in this house" >&2; exit 2' }]
  codex:
    UserPromptSubmit:
      - hooks: [{ command: 'sleep 5', timeout: 0.3 }]
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dsh-hook-room-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** One turn with one command, in a session as the product opens it. */
async function turnOf(profile: Profile) {
  const workTree = await makeTree({ 'a.txt': 'a\n' });
  const gitDir = join(folder, `git-${profile}`);
  await mkdir(gitDir);
  await git(['init', '--quiet', '--bare', '--template='], { gitDir });
  const repository = { id: 1, owner: 'o', repo: 'r', cloneUrl: '', sizeMb: 1 };
  const mirror = { repository, gitDir, settings: { dataDir: folder } };
  const checkout = { workTree, gitDir, baseSha: '', headSha: '', ref: '', mirror };
  const target = { provider: 'scripted', model: 'scripted' };
  const model = new ScriptedModel([calls('bash', { command: 'cat a.txt', description: 'look' }), says('ok')]);
  const room = await openRoom(
    {
      ...{ profile, kind: 'fix', mode: 'workspace-write', network: 'none', checkout, target },
      session: SessionId(`hooks-${profile}`),
      config: mergeConfig(readConfigFile(OPERATOR, 'operator.yml')),
      signal: new AbortController().signal,
      setUp: () => {},
    },
    {
      docker: connectEngine(process.env['DOCKER_HOST']),
      image: IMAGE,
      persistence: sessionsIn(join(folder, 'logs')),
      spillRoot: join(folder, 'spill'),
      models: { routes: new Map([['scripted', model]]), keys: [], targetOf: () => target },
      plugins: [],
      redactor: new Redactor([]),
      log: () => {},
    },
  );
  try {
    room.handle.agent.send(text('go'));
    await room.handle.agent.whenIdle();
    return room.handle.agent.session;
  } finally {
    await room.close();
    await rm(workTree, { recursive: true, force: true });
  }
}

describe('hooks', () => {
  it("H10 the operator's hooks run in a trusted session, each within its time", async () => {
    const session = await turnOf('trusted');

    expect(resultTexts(session)).toEqual(['Error: not in this house']);
    expect(records(session)).toEqual([
      'invoked UserPromptSubmit/0/0',
      'pass UserPromptSubmit/0/0',
      'invoked PreToolUse/0/0',
      'block PreToolUse/0/0',
    ]);
    expect(hookResults(session)[0]!.stderrSummary).toBe('timed out after 300 ms');
  });

  it('H10 an untrusted session runs none of them', async () => {
    const session = await turnOf('untrusted');

    expect(resultTexts(session)).toEqual(['a\n']);
    expect(records(session)).toEqual([]);
  });
});
