import { describe, expect, it } from '@jest/globals';
import { sessionFacts } from '../../../src/bot/session/session-facts.ts';
import { sessionOf } from '../../../src/bot/session/session-of.ts';
import { nextGeneration } from '../../../src/bot/session/session-id.ts';
import { withSettings } from '../../../src/bot/session/session-settings.ts';
import { reviewThreadContexts } from '../../../src/bot/review/review-thread.ts';
import { mergeConfig } from '../../../src/config/merge-config.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import type { TurnReading } from '../../../src/triggers/intake.ts';

const maria = { id: 1, login: 'maria' };
const renovate = { id: 60, login: 'renovate[bot]' };
const opened = (trigger: object) => ({ type: 'turn/start', data: { turn: 1, trigger } }) as unknown as SessionEvent;
const commanded = (name: string, actor = maria) =>
  opened({ kind: 'github-command', actor, command: { name, args: {}, text: '' } });
const check = () => opened({ kind: 'github-check-failure', actor: maria });

describe('bot-triggers', () => {
  it('T7 counts the turns that bots started since a person did something', () => {
    const bots = [commanded('fix', renovate), commanded('fix', renovate)];
    const steered = {
      type: 'steering/message',
      data: { source: { kind: 'github', actor: 'maria' } },
    } as unknown as SessionEvent;

    expect(sessionFacts([commanded('fix'), ...bots]).botTurns).toBe(2);
    expect(sessionFacts([...bots, commanded('ask')]).botTurns).toBe(0);
    expect(sessionFacts([...bots, steered]).botTurns).toBe(0);
  });

  it('T7 counts failed checks in a row, and knows who asked for the fix', () => {
    expect(sessionFacts([commanded('fix'), check(), check()])).toMatchObject({ checkTurns: 2, asker: maria });
    expect(sessionFacts([check(), commanded('retry')])).toMatchObject({ checkTurns: 0, asker: maria });
    expect(sessionFacts([])).toMatchObject({ asker: undefined, lastJob: undefined });
  });

  it('T3 the last kind of turn is told apart from what only goes on with it', () => {
    expect(sessionFacts([commanded('plan'), commanded('say'), commanded('retry')]).lastJob).toBe('plan');
    expect(sessionFacts([commanded('ask'), check()]).lastJob).toBe('fix');
    expect(sessionFacts([opened({ kind: 'github-issue', actor: maria, subject: { kind: 'pull' } })]).lastJob).toBe(
      'review',
    );
    expect(sessionFacts([opened({ kind: 'github-dispatch', inputs: { command: 'review' } })]).lastJob).toBe('review');
  });

  it('T9 a pull request belongs to the stored session, else to the marked one as far as its issue was not forgotten', async () => {
    const place = {
      repo: { id: 9, owner: 'o', repo: 'r', private: false, defaultBranch: 'main' },
      subject: { kind: 'pull', number: 4 } as const,
    };
    const of = (stored: Record<number, string>, marked?: string) =>
      sessionOf(
        { ...place, ...(marked && { markedSession: SessionId(marked) }) },
        { sessionOf: async (_repo, number) => stored[number] as SessionId | undefined },
      );

    expect(await of({})).toBe('gh-9-4-1');
    expect(await of({ 4: 'gh-9-3-2' }, 'gh-9-3-1')).toBe('gh-9-3-2');
    expect(await of({}, 'gh-9-3-1')).toBe('gh-9-3-1');
    expect(await of({ 3: 'gh-9-3-2' }, 'gh-9-3-1')).toBe('gh-9-3-2');
    expect(nextGeneration(SessionId('gh-9-3-9'))).toBe('gh-9-3-10');
  });

  it('T10 a long conversation does not lose the thread that a request stands in', () => {
    const comment = (id: number, replyTo?: number) => ({
      place: 'review-comment' as const,
      id,
      replyTo,
      author: { login: 'tom', isBot: false, association: 'NONE' },
      body: `said ${id}`,
    });
    const long = { ...comment(9), place: 'issue' as const, body: 'x'.repeat(60_000) };
    const thread = { comments: [comment(1), comment(2, 1), long, comment(3, 1), comment(4)] };
    const reading = {
      kind: 'command',
      comment: { url: '', place: { kind: 'review-comment', id: 3, thread: { rootId: 1 } } },
    } as unknown as TurnReading;

    const texts = reviewThreadContexts(reading, thread as never).map(({ content }) => JSON.stringify(content));

    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain('said 1');
    expect(texts[1]).toContain('said 2');
    expect(reviewThreadContexts(reading, { comments: [comment(1), comment(2, 1)] } as never)).toEqual([]);
  });

  it('T3 what was set for a session holds for its turns, a budget as far as the operator allows', () => {
    const config = mergeConfig({ model: 'a/b', budget: { turn: { cost: 1 } } });

    expect(withSettings(config, { model: 'c/d', budget: 3 }, 5)).toMatchObject({
      model: 'c/d',
      budget: { turn: { cost: 3, steps: 200 } },
    });
    expect(withSettings(config, { budget: 9 }, 5).budget.turn.cost).toBe(5);
    expect(withSettings(config, {}, 5)).toEqual(config);
  });
});
