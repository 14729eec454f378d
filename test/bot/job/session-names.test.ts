import { describe, expect, it } from '@jest/globals';
import { foldSessionTitle } from '../../../src/seams/session-title/fold-title.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { says } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import type { JobCall } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

describe('session-title', () => {
  const bench = useJobBench();

  const ask = async (call: Partial<JobCall> & Pick<JobCall, 'script'>) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong', body: '…' });
    return bench.run({ job: 'ask', subject: { kind: 'issue', number }, ...call });
  };
  const titles = (events: readonly SessionEvent[]) =>
    events.flatMap((event) => (event.type === 'session/title' ? [event.data.title] : []));

  it('B1 names a session by what was asked, and where nothing was, by its subject', async () => {
    const asked = await ask({ request: 'Where is the price computed, please?', script: [says('There.')] });
    expect(titles(asked.events).at(-1)).toBe('Where is the price computed, please?');

    const bare = await ask({ request: '', script: [says('There.')] });
    expect(foldSessionTitle(bare.events)).toMatchObject({
      title: 'The price is wrong',
      source: { kind: 'provider', provider: 'github-request' },
    });
    expect(bare.model.requests).toHaveLength(1);
  });

  it('B1 T17 lets a model name it where that is configured', async () => {
    const { events, outcome } = await ask({
      request: 'Where is the price computed, please?',
      script: [says('There.'), says('Price computation')],
      config: { titles: 'model' },
    });
    expect(outcome.status).toBe('completed');
    expect(events.some(({ type }) => type === 'session/title-llm-request')).toBe(true);
  });
});
