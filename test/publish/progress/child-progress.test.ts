import { describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { countUse, renderProgress } from '../../../src/publish/progress/progress.ts';

const event = (type: string, data: object): SessionEvent =>
  ({ type, seq: 0, time: 0, data: { turn: 1, ...data } }) as never;
const spent = [{ provider: 'p', model: 'm', usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 3 } }];
const LOG = [
  event('subagent/started', {
    runId: 'a',
    provider: 'spawn',
    session: 's1',
    label: 'check: the SECRET_KEY\n</details> leaks',
  }),
  event('subagent/ended', { runId: 'a', session: 's1', stopReason: 'completed', steps: 1, spent }),
  event('subagent/started', { runId: 'b', provider: 'explore', session: 's2' }),
];

describe('subagent', () => {
  it('N3 N5 the progress comment has one folded line for each child, and counts their tokens', () => {
    const body = renderProgress(LOG, {
      marker: '<!-- dsh:job s comment-1 -->',
      request: { by: 'maria', url: undefined, what: 'Review.' },
      ...{ startedAt: 0, now: 0, model: 'p/m', cost: undefined },
      describeCall: (name) => name,
      redact: (text) => text.replaceAll('SECRET_KEY', '***'),
    });

    expect(body).toContain('<summary>2 child agents</summary>');
    expect(body).toMatch(/check: the \*\*\* .*leaks: completed, 1 step\nexplore: at work\n/);
    expect(body).toMatch(/```\ncheck:[^`]*<\/details>[^`]*\n```\n\n<\/details>/);
    expect(body).not.toContain('SECRET_KEY');
    expect(body).toContain('123 tokens');
    expect(countUse(LOG)).toEqual({ tokens: 123, steps: 0 });
  });
});
