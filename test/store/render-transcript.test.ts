import { describe, expect, test } from '@jest/globals';
import { CallId } from '../../src/harness/llm/types.ts';
import { renderTranscript } from '../../src/store/render-transcript.ts';
import { APPEND, LogWriter, ROUTE, text, USER } from '../harness/session/session-fixture.ts';

describe('persistence', () => {
  test('a transcript tells what was asked, run, said, how it ended and what it took', () => {
    const log = new LogWriter().turnWithCalls('c1').startCall('c1').endCall('c1', '2 tests fail').endStep().startStep();
    log.session.append(
      'assistant/message',
      {
        turn: 1,
        step: 2,
        content: text('Two tests fail.'),
        provenance: ROUTE,
        usage: { inputTokens: 10, cacheReadTokens: 90, outputTokens: 5 },
      },
      APPEND,
    );
    log.endStep().endTurn();

    expect(renderTranscript(log.session.events)).toBe(
      [
        '## Turn 1 · message · 1970-01-01T00:00:01.000Z',
        '**Request:** work',
        '**bash**\n```\n{}\n```',
        'Result:\n```\n2 tests fail\n```',
        'Two tests fail.',
        '_Ended: completed_\\\nTokens: 100 in (90 from cache), 5 out',
        '',
      ]
        .join('\n\n')
        .trimEnd() + '\n',
    );
  });

  test('a person sees the request as it was written, not the context put before it', () => {
    const log = new LogWriter().startTurn();
    const content = [...text('10 pages of issue'), ...text('fix it')];
    log.session.append(
      'user/message',
      { content, source: USER, envelope: { displayContent: text('fix it'), prefixContexts: [] } },
      APPEND,
    );

    expect(renderTranscript(log.session.events)).toContain('**Request:** fix it\n');
  });

  test('long results lose their middle, say so, and never split a character or break their fence', () => {
    const log = new LogWriter()
      .turnWithCalls('c1')
      .startCall('c1')
      .endCall('c1', `\`\`\`${'🙂'.repeat(500)}`);

    const shown = renderTranscript(log.session.events, { maxChars: 100 });

    expect(shown).toContain('403 characters left out');
    expect(shown.isWellFormed()).toBe(true);
    expect(shown).toContain('````\n```🙂');
  });

  test('a failed call, a blocked prompt, an error and an unfinished turn are told as such', () => {
    const log = new LogWriter().turnWithCalls('c1').startCall('c1');
    const data = { turn: 1, step: 1, callId: CallId('c1'), content: text('Error: no'), isError: true };
    log.session.append('tool/result', data, APPEND);
    log.endStep().endTurn({ kind: 'error', step: 1, message: 'no model' }).startTurn();
    log.session.append('prompt/blocked', { content: text('do harm'), source: USER, reason: 'policy' });
    log.endTurn({ kind: 'rejected', reason: 'policy' }).startTurn().prompt('unfinished');

    const shown = renderTranscript(log.session.events);

    expect(shown).toContain('Failed:\n```\nError: no\n```');
    expect(shown).toContain('_Ended: error in step 1, no model_');
    expect(shown).toContain('**Blocked request:** do harm\n\nReason: policy');
    expect(shown).toContain('_Ended: rejected, policy_');
    expect(shown.endsWith('**Request:** unfinished\n')).toBe(true);
    expect(renderTranscript([])).toBe('This session has no events.\n');
  });

  test('history that was condensed later is shown as it was said', () => {
    const log = new LogWriter().shortTurn('first', 'second').startTurn();
    const [start, end] = log.session.surface.nodes as [number, number];
    log.session.append(
      'user/message',
      { content: text('summary'), source: { kind: 'plugin', plugin: 'compact' } },
      { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs: [start, end] },
    );

    const shown = renderTranscript(log.session.events);

    expect(shown).toContain('**Request:** first');
    expect(shown).not.toContain('summary');
  });
});
