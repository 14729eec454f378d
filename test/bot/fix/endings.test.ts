import { describe, expect, it } from '@jest/globals';
import { describeCall } from '../../../src/bot/telling/describe-call.ts';
import { describeEnding } from '../../../src/bot/telling/describe-ending.ts';
import type { JobOutcome } from '../../../src/bot/job/job.ts';
import { problemOf, problemOfFailure } from '../../../src/bot/telling/problem.ts';
import { turnOutcome } from '../../../src/bot/job/turn-outcome.ts';
import { DshError } from '../../../src/errors.ts';
import { HarnessError } from '../../../src/harness/llm/errors.ts';
import type { TurnEndReason } from '../../../src/harness/session/types.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { assembleBody } from '../../../src/publish/markdown/body.ts';

const outcome = (more: Partial<JobOutcome>): JobOutcome => ({
  status: 'completed',
  session: SessionId('s'),
  produced: { kind: 'nothing' },
  summary: '',
  verify: [],
  problem: undefined,
  refused: [],
  setupProblem: undefined,
  tokens: 0,
  cost: undefined,
  ...more,
});
const ended = (reason: TurnEndReason, aborted = false) =>
  turnOutcome([{ type: 'turn/end', seq: 0, time: 0, data: { turn: 1, reason } } as never], { aborted });
const bodyOf = (one: JobOutcome) => assembleBody(describeEnding(one).parts);

const REVIEWED = { repositoryUrl: 'https://x', headSha: 'c' };

describe('bot-human-loop', () => {
  it.each([
    [
      'a pull request',
      {
        kind: 'pull-request',
        number: 4,
        url: 'https://x/4',
        branch: 'b',
        commitSha: 'c',
        draft: false,
        title: 'Fix_it',
      } as const,
      'Pull request [#4](https://x/4): Fix\\_it',
    ],
    [
      'a draft',
      {
        kind: 'pull-request',
        number: 4,
        url: 'https://x/4',
        branch: 'b',
        commitSha: 'c',
        draft: true,
        title: 'T',
      } as const,
      'Draft pull request [#4]',
    ],
    [
      'a commit',
      { kind: 'commit', branch: 'topic', commitSha: '0123456789abcdef', url: 'https://x/c' } as const,
      'Committed [0123456789](https://x/c) to `topic`.',
    ],
    ['a patch', { kind: 'patch', diff: '+x\n' } as const, '```diff\n+x\n```'],
    [
      'a review',
      { kind: 'review', id: 1, url: 'https://x/r', findings: [], reviewed: REVIEWED } as const,
      '[Review](https://x/r) with no findings.',
    ],
    [
      'a review that may not be posted',
      { kind: 'findings', body: 'THE BODY', findings: [], reviewed: REVIEWED } as const,
      'This token may not post a review; it stands here.\n\nTHE BODY',
    ],
    ['an answer', { kind: 'answer', text: 'Because.' } as const, 'Because.'],
    ['nothing', { kind: 'nothing' } as const, 'There is no change to publish.'],
  ])('P5 the comment ends as the result: %s', (_, produced, text) => {
    expect(bodyOf(outcome({ produced }))).toContain(text);
  });

  it('P5 says how a change was verified, and only for a change', () => {
    expect(bodyOf(outcome({ produced: { kind: 'patch', diff: '' } }))).toContain('**Not verified:**');
    expect(bodyOf(outcome({ produced: { kind: 'answer', text: 'x' } }))).not.toContain('erified');
  });

  it.each([
    ['completed', 'done'],
    ['stopped', 'stopped'],
    ['failed', 'failed'],
  ] as const)('P5 a job that %s shows as %s', (status, state) => {
    expect(describeEnding(outcome({ status })).state).toBe(state);
  });

  it('P5 a problem is told with what to do', () => {
    const problem = { code: 'X', message: 'Docker did not answer.', hint: 'Start it.' };

    expect(bodyOf(outcome({ status: 'failed', problem }))).toBe('Docker did not answer.\n\n**What to do:** Start it.');
  });

  it.each([
    [{ kind: 'completed' }, 'completed', undefined],
    [{ kind: 'aborted', cause: { kind: 'user' } }, 'stopped', 'STOPPED'],
    [{ kind: 'max-tokens' }, 'failed', 'MAX_TOKENS'],
    [{ kind: 'error', message: 'x', code: 'BOOM' }, 'failed', 'BOOM'],
    [{ kind: 'error', message: 'x', failure: { code: 'AUTH', message: 'no', status: 401 } }, 'failed', 'AUTH'],
  ] as const)('P5 a turn that ended as %j is %s', (reason, status, code) => {
    const end = ended(reason as never);

    expect(end.status).toBe(status);
    expect(end.problem?.code).toBe(code);
  });

  it('P5 an interruption from outside is told as one, also where the turn never ended', () => {
    expect(ended({ kind: 'aborted', cause: { kind: 'user' } } as never, true).problem?.code).toBe('INTERRUPTED');
    expect(turnOutcome([], { aborted: true }).problem?.code).toBe('INTERRUPTED');
    expect(turnOutcome([], { aborted: false }).status).toBe('failed');
  });

  it.each(['AUTH', 'QUOTA', 'RATE_LIMIT', 'TRANSPORT', 'NO_ADAPTER', 'INVALID_REQUEST'])(
    'P5 J2 a model failure %s has plain words and a hint',
    (code) => {
      const problem = problemOfFailure({ code, message: 'the words of the provider', status: 400 });

      expect(problem).toMatchObject({
        code,
        message: expect.stringMatching(/^The|^There .*\(400\): the words of the provider$/),
        hint: expect.any(String),
      });
    },
  );

  it.each([
    [
      'an error a person can mend',
      new DshError('No image.', 'SANDBOX_UNAVAILABLE', 'Build it.'),
      { code: 'SANDBOX_UNAVAILABLE', message: 'No image.', hint: 'Build it.' },
    ],
    [
      'a coded error',
      new HarnessError('Moved.', 'BRANCH_MOVED'),
      { code: 'BRANCH_MOVED', message: 'Moved.', hint: undefined },
    ],
    [
      'rejected credentials',
      Object.assign(new Error('Bad credentials'), { status: 401 }),
      { code: 'GITHUB_UNAUTHORIZED', hint: expect.stringContaining('GITHUB_TOKEN') },
    ],
    [
      'a missing permission',
      Object.assign(new Error('Resource not accessible by integration'), { status: 403 }),
      { code: 'GITHUB_FORBIDDEN', hint: expect.stringContaining('permission') },
    ],
    ['what is not there', Object.assign(new Error('Not Found'), { status: 404 }), { code: 'GITHUB_NOT_FOUND' }],
    [
      'an outage',
      Object.assign(new Error('Bad Gateway'), { status: 502 }),
      { code: 'GITHUB_FAILED', hint: expect.stringContaining('again') },
    ],
    [
      'no network',
      new Error('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') }),
      { code: 'GITHUB_UNREACHABLE' },
    ],
    [
      'a fault of ours',
      new TypeError('x is not a function'),
      {
        code: 'UNEXPECTED',
        message: expect.stringContaining('x is not a function'),
        hint: expect.stringContaining('report it'),
      },
    ],
    ['something that is no error', 'what?', { code: 'UNEXPECTED', message: expect.stringContaining('what?') }],
    ['nothing at all', undefined, { code: 'UNEXPECTED' }],
  ])('P5 puts %s into words', (_, error, problem) => {
    expect(problemOf(error)).toMatchObject(problem);
  });

  it.each([
    ['bash', '{"command":"npm test","description":"Run the tests"}', 'bash: Run the tests'],
    ['bash', '{"command":"npm  test\\n"}', 'bash: npm test '],
    ['read', '{"file_path":"a.js"}', 'read: a.js'],
    ['bash', '{"command":', 'bash'],
    ['bash', 'null', 'bash'],
    ['bash', '[1]', 'bash'],
    ['todo_write', '{"todos":[]}', 'todo_write'],
  ])('P3 a call of %s with %s is one line', (name, raw, line) => {
    expect(describeCall(name, raw)).toBe(line);
  });
});
