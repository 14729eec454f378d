import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { viaApp } from './support/hosts.ts';
import { botComments, gitOf, pullsOf } from './support/look.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, run, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

describe('bot-fix', () => {
  it('C2 J1 a turn of five minutes with tokens that live for one: each write has a token of its own moment', async () => {
    stage.github.faults.tokenLifetimeMs = 60_000;
    const { repo, number } = await stage.addIssue('short-tokens', SMALL_FILES, SMALL_ISSUE);
    const steps = [run('true'), run('true # again'), run('git log --oneline'), MEND, submit()];
    stage.play((_request, index) => {
      stage.github.advance(65_000);
      return steps[index] ?? submit();
    });

    const { handled } = await viaApp(stage, () =>
      stage.github.comment(repo, number, { by: 'maria', body: '/dsh fix' }),
    );

    expect(handled.at(-1)).toMatchObject({ status: 'completed', outcome: { produced: { kind: 'pull-request' } } });
    const [pull] = pullsOf(stage, repo);
    expect(await gitOf(stage, repo, 'show', `${pull!.pull!.head.ref}:greet.txt`)).toBe('hello world');
    expect(botComments(stage, { repo, number }).at(-1)?.body).toContain(`#${pull!.number}`);
  });
});
