import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tellGoalCheck } from '../../../src/bot/fix/goal-check.ts';
import type { GoalEnd } from '../../../src/bot/fix/goal-check.ts';
import { startGitHub } from '../../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../../src/demo/github/start-github.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { Redactor } from '../../../src/publish/redact.ts';
import type { Turn } from '../../../src/publish/progress/surface.ts';
import { openAccess } from '../../../src/repository-access.ts';
import { goalLog } from '../../support/goal-log.ts';
import { command } from '../../triggers/support/payloads.ts';

const NAME = 'acme/shop';
let github: GitHubServer;
let head: string;
let number: number;

beforeAll(async () => {
  github = await startGitHub();
  await github.addRepository({ owner: 'acme', name: 'shop', files: { 'README.md': 'shop\n' } });
  github.addCollaborator(NAME, 'maria', 'write');
  head = await github.push(NAME, { by: 'maria', branch: 'more', files: { 'more.txt': 'more\n' } });
  ({ number } = await github.openPull(NAME, { by: 'maria', title: 'More', head: 'more', base: 'main' }));
});

afterAll(() => github.close());

const STOPPED = { status: 'stopped', produced: { kind: 'nothing' }, problem: undefined, summary: 'No key.' } as const;
const BLOCKED = goalLog({ phase: 'blocked', blockedReason: { code: 'model-reported', message: 'no key for @tom' } });

async function tell(
  cause: string,
  end: Partial<GoalEnd>,
  subject: Turn['reading']['subject'] = { kind: 'pull', number },
) {
  const token = github.createToken({ installation: 'acme' });
  const access = openAccess({
    ...{ apiUrl: github.apiUrl, auth: token, ownLogin: github.app.botLogin, userAgent: 'test', self: {} },
    ...{ repo: { owner: 'acme', repo: 'shop' }, redactor: new Redactor() },
  });
  const reading = { ...command('/dsh goal all tests pass'), cause, subject };
  const turn: Turn = { kind: 'turn', job: 'goal', request: 'all tests pass', permission: 'write', reading };
  const request = { turn, session: SessionId('gh-1-1-1'), access, local: undefined };
  await tellGoalCheck(request, { events: BLOCKED, outcome: STOPPED, language: 'en', redact: (text) => text, ...end });
  return github.state.findRepository(NAME)!.checkRuns.filter(({ externalId }) => externalId === `gh-1-1-1 ${cause}`);
}

describe('goal', () => {
  it('G25 a goal that is blocked asks for somebody on the head of its pull request, once', async () => {
    await tell('comment-1', {});
    const runs = await tell('comment-1', {});

    expect(runs).toMatchObject([{ name: 'dsh goal', status: 'completed', conclusion: 'action_required' }]);
    expect(runs[0]!.suite.headSha).toBe(head);
    expect(runs[0]!.output).toMatchObject({
      title: expect.stringMatching(/^Goal \(blocked: no key for @&#8203;tom, round 0 of 8\)/),
    });
  });

  it('G25 one that is complete is a success on the commit that was made', async () => {
    const commitSha = await github.push(NAME, { by: 'maria', branch: 'done', files: { 'done.txt': 'done\n' } });
    const outcome = {
      ...STOPPED,
      status: 'completed',
      produced: { kind: 'commit', branch: 'done', commitSha, url: '' },
    } as const;
    const [run, ...others] = await tell('comment-2', { events: goalLog({ phase: 'complete' }), outcome });

    expect([run!.conclusion, run!.suite.headSha, others]).toEqual(['success', commitSha, []]);
  });

  it.each<[string, Partial<GoalEnd>, Turn['reading']['subject'] | undefined]>([
    ['is paused', { events: goalLog({ phase: 'paused' }) }, undefined],
    ['has rounds left', { events: goalLog() }, undefined],
    ['is complete and could not be published', { events: goalLog({ phase: 'complete' }) }, undefined],
    ['was cleared', { events: [] }, undefined],
    ['is of an issue, where there is no commit', {}, { kind: 'issue', number: 1 }],
  ])('G25 one that %s tells nothing', async (why, end, subject) => {
    expect(await tell(`comment ${why}`, end, subject)).toEqual([]);
  });
});
