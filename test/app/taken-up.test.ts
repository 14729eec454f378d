import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { viaCli } from '../e2e/support/hosts.ts';
import { gitOf, pullsOf } from '../e2e/support/look.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from '../e2e/support/small-repository.ts';
import { openStage } from '../e2e/support/stage.ts';
import type { Stage } from '../e2e/support/stage.ts';

let stage: Stage;
beforeAll(async () => void (stage = await openStage()));
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

describe('persistence', () => {
  it('B2 a command line that was killed is taken up by the next command for that issue, work tree and all', async () => {
    const subject = await stage.addIssue('killed', SMALL_FILES, SMALL_ISSUE);
    const killed = new AbortController();
    stage.play((_request, index) => {
      if (index === 0) return MEND;
      killed.abort();
      return new Promise(() => {});
    });
    const stop = { signal: killed.signal, by: 'SIGKILL' } as const;
    expect((await viaCli(stage, ['fix', subject.url], {}, stop)).code).toBeNull();

    const asked: string[] = [];
    stage.play(({ messages }) => {
      asked.push(JSON.stringify(messages));
      return submit();
    });
    const again = await viaCli(stage, ['fix', subject.url]);

    expect(again.code).toBe(0);
    expect(asked[0]).toContain('was lost in the middle of it');
    expect(asked[0]).toContain('as it stood at that moment');
    const [pull] = pullsOf(stage, subject.repo);
    expect(await gitOf(stage, subject.repo, 'show', `${pull!.pull!.head.sha}:greet.txt`)).toBe('hello world');
  }, 120_000);
});
