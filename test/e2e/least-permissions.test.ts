import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { says } from '../../src/demo/model/reply.ts';
import type { Reply } from '../../src/demo/model/reply.ts';
import { permissionsFor } from '../../src/github/least-permissions.ts';
import { viaApp } from './support/hosts.ts';
import { pullsOf } from './support/look.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

/** A private repository beside others: what its tokens may not do, GitHub refuses. */
let stage: Stage;
let number: number;
let id: number;
const REPO = 'acme/vault';
beforeAll(async () => {
  stage = await openStage();
  await stage.github.addRepository({ owner: 'acme', name: 'vault', private: true, files: SMALL_FILES });
  stage.github.addCollaborator(REPO, 'maria', 'write');
  ({ number } = await stage.github.openIssue(REPO, { by: 'maria', ...SMALL_ISSUE }));
  id = stage.github.state.findRepository(REPO)!.id;
});
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

/** What the tokens may do that were minted while this was worked, each told once. */
async function rightsFor(body: string, on: number, script: readonly Reply[]) {
  const before = new Set(stage.github.state.tokens.keys());
  stage.play(script);
  const { handled } = await viaApp(stage, () => stage.github.comment(REPO, on, { by: 'maria', body }));
  const minted = [...stage.github.state.tokens.values()].filter(({ value }) => !before.has(value));
  const rights = minted.map(({ actor }) =>
    actor.kind === 'app' ? JSON.stringify([actor.permissions, [...(actor.repositoryIds ?? [])]]) : 'a person',
  );
  return { status: handled.at(-1)?.status, rights: [...new Set(rights)].sort() };
}
const only = (...uses: Parameters<typeof permissionsFor>[0][]) =>
  uses.map((use) => {
    const { metadata, ...rest } = permissionsFor(use);
    return JSON.stringify([{ ...rest, metadata }, [id]]);
  });
const sorted = (rights: readonly string[]) =>
  rights.map((right) => {
    const [permissions, repositories] = JSON.parse(right) as [Record<string, string>, number[]];
    return JSON.stringify([Object.fromEntries(Object.entries(permissions).sort()), repositories]);
  });

describe('bot-security', () => {
  it('X9 each turn has tokens for its repository alone, with what it needs and no more, and gets by with them', async () => {
    const asked = await rightsFor('/dsh ask What does it say?', number, [says('It says helo.')]);
    const fixed = await rightsFor('/dsh fix', number, [MEND, submit()]);
    const pull = pullsOf(stage, REPO)[0]!.number;
    const reviewed = await rightsFor('/dsh review', pull, [says('Nothing to say.'), says('Nothing to say.')]);
    const undone = await rightsFor('/dsh undo', number, []);

    expect([asked.status, fixed.status, reviewed.status, undone.status]).toEqual([
      ...['completed', 'completed', 'completed', 'replied'],
    ]);
    expect(sorted(asked.rights).sort()).toEqual(sorted(only('talk', 'ask')).sort());
    expect(sorted(fixed.rights).sort()).toEqual(sorted(only('talk', 'fix')).sort());
    expect(sorted(reviewed.rights).sort()).toEqual(sorted(only('talk', 'review')).sort());
    expect(sorted(undone.rights).sort()).toEqual(sorted(only('talk', 'undo')).sort());
  }, 60_000);
});
