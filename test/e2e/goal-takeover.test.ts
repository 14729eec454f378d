import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { calls, says } from '../../src/demo/model/reply.ts';
import type { Reply } from '../../src/demo/model/reply.ts';
import { viaApp } from './support/hosts.ts';
import { botComments, gitOf, pullsOf } from './support/look.ts';
import { serveApart } from './support/serve-apart.ts';
import { MEND, run, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
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

  const SHORT = {
    ...SMALL_FILES,
    '.github/dsh.yml': `${SMALL_FILES['.github/dsh.yml']}budget: { turn: { steps: 3 } }\n`,
  };
  const workThenComplete = (messages: unknown, index: number) => {
    if (index === 0) return MEND;
    if (index < 3) return run(`test ${index} -gt 0`);
    return index === 3 ? complete(messages) : submit();
  };

  it('G10 whose budget ended it, a goal goes on in a further run by the word that allowed it, which the resume names', async () => {
    const { repo, number } = await stage.addIssue('allowed', SHORT, SMALL_ISSUE);
    stage.play(({ messages }, index) => workThenComplete(messages, index));
    const word = '/dsh goal --runs=2 sh check.sh passes';
    let id = 0;

    await viaApp(
      stage,
      async () => void (id = (await stage.github.comment(repo, number, { by: 'maria', body: word })).id),
    );

    const [first, second, ...others] = botComments(stage, { repo, number }).map(({ body }) => body);
    expect(first).toMatch(/\*\*Stopped\*\*[^]*steps/);
    expect(second).toContain('**Done**');
    expect(others).toEqual([]);
    expect(pullsOf(stage, repo)).toHaveLength(1);
    const seen = JSON.stringify(stage.model.requests.at(-1)!.body!.messages);
    expect(seen).toMatch(new RegExp(`grantedBy[^}]*issuecomment-${id}`));
  });

  it('G10 without such a word no further run begins', async () => {
    const { repo, number } = await stage.addIssue('no-word', SHORT, SMALL_ISSUE);
    stage.play(({ messages }, index) => workThenComplete(messages, index));

    await viaApp(stage, () =>
      stage.github.comment(repo, number, { by: 'maria', body: '/dsh goal sh check.sh passes' }),
    );

    expect(botComments(stage, { repo, number }).map(({ body }) => body)).toEqual([
      expect.stringContaining('**Stopped**'),
    ]);
    expect(pullsOf(stage, repo)).toEqual([]);
  });
});
