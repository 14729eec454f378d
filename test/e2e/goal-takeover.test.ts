import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { calls, says } from '../../src/demo/model/reply.ts';
import type { Reply } from '../../src/demo/model/reply.ts';
import { viaApp } from './support/hosts.ts';
import { botComments, gitOf, pullsOf } from './support/look.ts';
import { serveApart } from './support/serve-apart.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

let stage: Stage;
jest.setTimeout(120_000);

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

/** The call that reports the goal complete, with the id and revision that the log shows last. */
function complete(messages: unknown): Reply {
  const shown = [...JSON.stringify(messages).matchAll(/\\"id\\":\\"([0-9a-f-]{36})\\"[^}]*?\\"revision\\":(\d+)/g)].at(
    -1,
  );
  return calls('update_goal', { id: shown?.[1] ?? '', revision: Number(shown?.[2] ?? 0), action: 'complete' });
}

describe('goal', () => {
  it('G21 G12 a worker that is killed within a round is no end: another one goes on to the pull request', async () => {
    const { repo, number } = await stage.addIssue('taken-over', SMALL_FILES, SMALL_ISSUE);
    const { promise: inRound, resolve: reached } = Promise.withResolvers<void>();
    stage.play(async (_request, index) => {
      if (index === 0) return says('The next round mends it.');
      if (index === 1) return MEND;
      reached();
      return new Promise(() => {});
    });
    const server = await serveApart(stage);
    await stage.github.comment(repo, number, { by: 'maria', body: '/dsh goal sh check.sh passes' });
    await inRound;
    server.kill();
    await server.gone;
    stage.github.setWebhookTarget(undefined);

    stage.play(({ messages }, index) => {
      if (index === 0) return says('The next round checks it.');
      return index === 1 ? complete(messages) : submit();
    });
    const ended = () =>
      /\*\*(Done|Stopped|That did not work)\*\*/.test(botComments(stage, { repo, number })[0]?.body ?? '');
    await viaApp(stage, async () => {
      while (!ended()) await new Promise((resolve) => setTimeout(resolve, 100));
    });

    expect(botComments(stage, { repo, number }).map(({ body }) => body)).toEqual([expect.stringContaining('**Done**')]);
    expect(pullsOf(stage, repo)).toHaveLength(1);
    const { head } = pullsOf(stage, repo)[0]!.pull!;
    expect(await gitOf(stage, repo, 'show', `${head.ref}:greet.txt`)).toBe('hello world');
  });
});
