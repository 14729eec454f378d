import { describe, expect, it } from '@jest/globals';
import { billedUsage, totalTokensOf } from '../../../src/seams/token-meter/billed-usage.ts';
import { text } from '../../harness/session/session-fixture.ts';
import { MeteredLog } from './metered-log.ts';

const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 1 });

describe('token-meter', () => {
  it('M21 bills each step once: its last usage chunk, else the usage of its message', () => {
    const log = new MeteredLog().startTurn().prompt('hi').startStep().header();
    log.sent({ type: 'usage', usage: usage(1) });
    log.sent({ type: 'usage', usage: usage(20) });
    log.reply(text('a'), { usage: usage(300) }).endStep();
    log
      .startStep()
      .reply(text('b'), { usage: usage(4000) })
      .endStep();
    log.startStep().reply(text('c')).endStep().endTurn();

    expect(billedUsage(log.session.events)).toEqual([usage(20), usage(4000)]);
  });

  it('M21 a failed attempt has a usage chunk and no message, and is billed', () => {
    const log = new MeteredLog().startTurn().prompt('hi').startStep().header();
    log.sent({ type: 'usage', usage: usage(70) });
    log.endStep().startStep();
    log.sent({ type: 'usage', usage: usage(80) });
    log
      .reply(text('a'), { usage: usage(80) })
      .endStep()
      .endTurn();

    expect(billedUsage(log.session.events)).toEqual([usage(70), usage(80)]);
  });

  it('M21 calls beside the conversation are billed, each for itself', () => {
    const log = new MeteredLog().startTurn().prompt('hi');
    const beside = (purpose: 'compaction' | 'session-title', tokens: number) =>
      log.session.append('llm/auxiliary', { turn: 1, purpose, provider: 'p', model: 'm', usage: usage(tokens) });
    beside('session-title', 1);
    log
      .startStep()
      .header()
      .reply(text('a'), { usage: usage(20) });
    beside('compaction', 300);
    beside('compaction', 4000);

    expect(billedUsage(log.session.events)).toEqual([usage(1), usage(20), usage(300), usage(4000)]);
  });

  it('M9 M21 the tokens of a call leave reasoning out, which is output', () => {
    const all = { inputTokens: 1, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 4000, reasoningTokens: 9 };

    expect(totalTokensOf(all)).toBe(4321);
  });
});
