import { describe, expect, it } from '@jest/globals';
import type { Handled } from '../../src/handle-event.ts';
import { Metrics } from '../../src/serve/metrics.ts';

const outcome = { tokens: 30, cost: 0.25, problem: { code: 'BUDGET', message: 'm', hint: undefined } };
const handled = [{ status: 'completed', outcome }, { status: 'ignored' }] as unknown as Handled[];

describe('bot-hosts', () => {
  it('H1 the metrics count events, requests, tokens, dollars and problems, and how long it took', async () => {
    const metrics = new Metrics([
      { name: 'dsh_turns_running', help: 'Turns that run now.', read: () => 2 },
      { name: 'dsh_inbox_waiting', help: 'Deliveries that wait.', read: async () => 7 },
      {
        name: 'dsh_broken',
        help: 'x',
        read: () => {
          throw new Error('no');
        },
      },
    ]);
    metrics.handled('issue_comment', handled, 12);
    metrics.handled('issue_comment', handled, 0.4);
    const text = await metrics.render();

    for (const line of [
      '# TYPE dsh_turns_running gauge',
      'dsh_turns_running 2',
      'dsh_inbox_waiting 7',
      '# TYPE dsh_events_total counter',
      'dsh_events_total{event="issue_comment"} 2',
      'dsh_requests_total{status="completed"} 2',
      'dsh_requests_total{status="ignored"} 2',
      'dsh_tokens_total 60',
      'dsh_cost_dollars_total 0.5',
      'dsh_problems_total{code="BUDGET"} 2',
      '# TYPE dsh_event_seconds histogram',
      'dsh_event_seconds_bucket{le="1"} 1',
      'dsh_event_seconds_bucket{le="15"} 2',
      'dsh_event_seconds_bucket{le="+Inf"} 2',
      'dsh_event_seconds_sum 12.4',
      'dsh_event_seconds_count 2',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text).not.toContain('dsh_broken');
    expect(text.endsWith('\n')).toBe(true);
  });

  it('PR63 input is counted by whether it came from the cache, and steps that paid twice for it', async () => {
    const metrics = new Metrics();
    const input = { cached: 900, uncached: 100, missed: 2 };
    metrics.handled(
      'issue_comment',
      [{ status: 'completed', outcome: { ...outcome, input } }] as unknown as Handled[],
      1,
    );
    metrics.handled('issue_comment', handled, 1);
    const lines = (await metrics.render()).split('\n');

    expect(lines).toContain('dsh_input_tokens_total{cached="true"} 900');
    expect(lines).toContain('dsh_input_tokens_total{cached="false"} 100');
    expect(lines).toContain('dsh_cache_misses_total 2');
  });

  it('PR65 turns are counted by the version of what the model was told', async () => {
    const metrics = new Metrics();
    const told = [
      { status: 'completed', outcome: { ...outcome, promptVersion: '0123456789ab' } },
    ] as unknown as Handled[];
    metrics.handled('issue_comment', told, 1);
    metrics.handled('issue_comment', handled, 1);

    expect((await metrics.render()).split('\n')).toContain('dsh_turns_total{version="0123456789ab"} 1');
  });

  it('H1 a label cannot end its line or its text', async () => {
    const metrics = new Metrics();
    metrics.add('x_total', 'X.', { event: 'a"} 1\nevil_total 9 \\' });
    expect((await metrics.render()).split('\n')).toEqual([
      '# HELP x_total X.',
      '# TYPE x_total counter',
      'x_total{event="a\\"} 1\\nevil_total 9 \\\\"} 1',
      '',
    ]);
  });
});
