import { describe, expect, it } from '@jest/globals';
import { actionOutputs, worstOf } from '../../src/action/outputs.ts';
import { actionSummary } from '../../src/action/summary.ts';
import type { JobOutcome, Produced } from '../../src/bot/job/job.ts';
import type { Handled } from '../../src/handle-event.ts';
import { SessionId } from '../../src/harness/session/types.ts';

const PULL: Produced = {
  kind: 'pull-request',
  number: 4,
  url: 'https://x/4',
  branch: 'dsh/issue-1',
  commitSha: 'abc',
  draft: false,
  title: 'Mend it',
};
const handled = (status: Handled['status'], outcome?: Partial<JobOutcome>): Handled => ({
  status,
  ...(outcome && {
    outcome: {
      status: status as JobOutcome['status'],
      session: SessionId('gh-1-2-1'),
      produced: { kind: 'nothing' },
      summary: '',
      verify: [],
      problem: undefined,
      tokens: 1_234,
      cost: 0.5,
      setupProblem: undefined,
      refused: [],
      ...outcome,
    },
  }),
});

describe('bot-hosts', () => {
  it('H7 outputs name what a fix produced', () => {
    expect(actionOutputs([handled('completed', { produced: PULL })])).toEqual({
      status: 'completed',
      'session-id': 'gh-1-2-1',
      'pull-request-number': '4',
      'pull-request-url': 'https://x/4',
      branch: 'dsh/issue-1',
      'commit-sha': 'abc',
      'review-id': '',
      findings: '',
      'sarif-file': '',
      answer: '',
      tokens: '1234',
      cost: '0.5000',
    });
  });

  it('H7 outputs of a commit, a review and an answer', () => {
    expect(
      actionOutputs([handled('completed', { produced: { kind: 'commit', branch: 'b', commitSha: 'c', url: '' } })]),
    ).toMatchObject({ branch: 'b', 'commit-sha': 'c', 'pull-request-url': '' });
    const finding = {
      path: 'a',
      side: 'RIGHT',
      startLine: 1,
      endLine: 1,
      severity: 'nit',
      confidence: 1,
      title: 't',
      body: 'b',
      scenario: 's',
      evidence: 'rule',
      proof: 'p',
    } as const;
    const reviewed = { repositoryUrl: 'https://x', headSha: 'c' };
    const review = actionOutputs([
      handled('completed', {
        produced: { kind: 'review', id: 9, url: '', reviewed, findings: [{ finding, place: undefined, moved: false }] },
      }),
    ]);
    expect(review['review-id']).toBe('9');
    expect(JSON.parse(review.findings!)).toEqual([finding]);
    expect(
      actionOutputs([handled('completed', { produced: { kind: 'answer', text: 'Because.' }, cost: undefined })]),
    ).toMatchObject({ answer: 'Because.', cost: '' });
  });

  it.each([
    [[], 'ignored'],
    [[handled('ignored'), handled('completed', {})], 'completed'],
    [[handled('replied'), handled('refused')], 'refused'],
    [[handled('completed', {}), handled('failed', {}), handled('stopped', {})], 'failed'],
    [[handled('replied')], 'completed'],
  ] as const)('H7 of several commands the end that says most is the status', (all, status) => {
    expect(actionOutputs(all).status).toBe(status);
  });

  it('H7 the worst is found without touching the list', () => {
    const all = [handled('completed', {}), handled('failed', {})];

    expect(worstOf(all).status).toBe('failed');
    expect(all.map(({ status }) => status)).toEqual(['completed', 'failed']);
  });

  it('H8 the summary says what came out, how it was checked and what it cost', () => {
    const verify = [{ command: 'npm test', exitCode: 0, timedOut: false }];

    const summary = actionSummary([handled('completed', { produced: PULL, summary: 'It is **mended**.', verify })]);

    expect(summary).toBe(
      '### dsh: completed\n\nPull request [#4](https://x/4): Mend it\n\nIt is **mended**.\n\n**Verification**\n\n- `npm test`: passed\n\n1234 tokens, $0.5000',
    );
  });

  it('H8 the summary of what went wrong has the hint, inertly', () => {
    const summary = actionSummary([
      { status: 'failed', problem: { code: 'X', message: 'No <image> for @octocat', hint: 'Build it.' } },
      { status: 'ignored', why: 'no-command' },
    ]);

    expect(summary).toBe(
      '### dsh: failed\n\nNo &lt;image> for @&#8203;octocat\n\nBuild it.\n\n### dsh: ignored (no-command)',
    );
  });

  it('H8 H12 the summary of a run that parked says how it goes on', () => {
    expect(actionSummary([handled('parked', {})])).toBe(
      '### dsh: parked\n\nA comment asks people something. Their answer starts a run that goes on from here.\n\n1234 tokens, $0.5000',
    );
    expect(actionSummary([handled('stopped', { status: 'parked' })])).not.toContain('asks');
  });
});
