import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PeopleBench } from '../../bot/people/people-bench.ts';
import { CommentSurface } from '../../../src/publish/progress/comment-surface.ts';

let b: PeopleBench;
beforeAll(async () => {
  b = await PeopleBench.start();
});
afterAll(() => b.close());

describe('bot-human-loop', () => {
  it('P4 a turn of 500 steps on a GitHub that answers each third write with a secondary limit: few edits, no failure, and the end is told', async () => {
    const issue = await b.openIssue();
    const turn = await b.turn({ issue, script: [] });
    const { github, repo, ownLogin } = b.access();
    const failures: unknown[] = [];
    const log = (message: string) => void failures.push(message);
    const everyMs = 60;
    const surface = new CommentSurface({ github, repo, ownLogin, everyMs, redact: (text) => text, log });
    let step = 0;
    const progress = await surface.openProgress(turn, { session: 's', cause: turn.reading.cause }, (ending) =>
      ending ? '<!-- dsh:job s x -->\n**Done**' : `<!-- dsh:job s x -->\nstep ${step}`,
    );
    b.github.faults.secondaryLimit({ afterWrites: 2, retryAfterSeconds: 1 });
    const edited = () => b.github.events.filter(({ action }) => action === 'edited').length;
    const start = Date.now();

    while (step < 500) {
      step += 1;
      progress.changed();
      await new Promise((resolve) => setTimeout(resolve, 8));
    }
    const elapsed = Date.now() - start;
    await progress.end({ state: 'done', parts: [] });
    b.github.faults.clear();

    expect(edited()).toBeLessThanOrEqual(elapsed / everyMs + 3);
    expect(edited()).toBeGreaterThan(2);
    expect(b.comments(issue).map(({ body }) => body)).toEqual(['<!-- dsh:job s x -->\n**Done**']);
    expect(failures).toEqual([]);
  }, 60_000);
});
