import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GitHubServer } from '../../../src/demo/github/start-github.ts';
import { startGitHub } from '../../../src/demo/github/start-github.ts';
import { createGitHub } from '../../../src/github/client.ts';
import { CommentSurface } from '../../../src/publish/progress/comment-surface.ts';
import type { Turn } from '../../../src/publish/progress/surface.ts';
import type { CommentPlace } from '../../../src/triggers/reading.ts';

const NAME = 'acme/shop';
const REPO = { owner: 'acme', repo: 'shop' };
const JOB = { session: 'gh-1-1-1', cause: 'comment-1' };
const MARKER = '<!-- dsh:job gh-1-1-1 comment-1 -->';

describe('bot-human-loop', () => {
  let github: GitHubServer;
  const logged: unknown[] = [];
  beforeAll(async () => {
    github = await startGitHub();
    await github.addRepository({ owner: 'acme', name: 'shop', files: { 'README.md': 'shop\n' } });
  });
  afterAll(() => github.close());

  const surface = (everyMs = 5) =>
    new CommentSurface({
      github: createGitHub({ auth: github.createToken({ installation: 'acme' }), apiUrl: github.apiUrl }),
      repo: REPO,
      ownLogin: github.app.botLogin,
      everyMs,
      redact: (text) => text.replaceAll('SECRET', '***'),
      log: (_message, error) => logged.push(error),
    });

  /** A command of maria's on an issue of its own. */
  async function asked() {
    const issue = await github.openIssue(NAME, { by: 'tom', title: 'T', body: 'B' });
    const comment = await github.comment(NAME, issue.number, { by: 'maria', body: '/dsh fix' });
    const place: CommentPlace = { kind: 'issue-comment', id: comment.id };
    const reading = {
      kind: 'command',
      command: { kind: 'command', name: 'fix', flags: {}, text: '' },
      subject: { kind: 'issue', number: issue.number },
      comment: { url: '', place },
      actor: { id: 9, login: 'maria_x' },
      cause: `comment-${comment.id}`,
      nth: 0,
    };
    const reactions = () => comment.reactions.map(({ content, user }) => `${content} ${user.login}`);
    const told = () => issue.comments.slice(1).map(({ body }) => body);
    return { turn: { kind: 'turn', reading } as unknown as Turn, reading, issue, reactions, told };
  }

  it('P1 the first sign is one call: eyes on the command', async () => {
    const { turn, reactions } = await asked();
    const before = github.requests.length;

    await surface().accepted(turn);

    expect(reactions()).toEqual(['eyes dsh[bot]']);
    expect(github.requests.length - before).toBe(1);
  });

  it.each([
    ['done', 'rocket'],
    ['failed', 'confused'],
    ['stopped', 'confused'],
  ] as const)('P5 at the end of a job that is %s the reaction is %s, and eyes are gone', async (state, content) => {
    const { turn, reactions, told } = await asked();
    const at = surface();
    await at.accepted(turn);

    const progress = await at.openProgress(turn, JOB, (ending) => `${MARKER}\n${ending?.state ?? 'working'}`);
    expect(told()).toEqual([`${MARKER}\nworking`]);
    await progress.end({ state, parts: [] });

    expect(told()).toEqual([`${MARKER}\n${state}`]);
    expect(reactions()).toEqual([`${content} dsh[bot]`]);
  });

  it('P5 a run that succeeds takes back the reaction of the one that failed', async () => {
    const { turn, reactions } = await asked();
    const end = async (state: 'failed' | 'done') => {
      const progress = await surface().openProgress(turn, JOB, () => `${MARKER} ${state}`);
      await progress.end({ state, parts: [] });
    };

    await end('failed');
    await end('done');

    expect(reactions()).toEqual(['rocket dsh[bot]']);
  });

  it('P2 after a crash the comment is found by its marker, never made twice', async () => {
    const { turn, told } = await asked();
    await surface().openProgress(turn, JOB, () => `${MARKER}\nfirst life`);

    const again = await surface().openProgress(turn, JOB, (ending) => `${MARKER}\n${ending ? 'end' : 'second life'}`);
    expect(told()).toEqual([`${MARKER}\nsecond life`]);
    await again.end({ state: 'done', parts: [] });

    expect(told()).toEqual([`${MARKER}\nend`]);
  });

  it('P2 a marker that somebody else pasted does not count', async () => {
    const { turn, issue, told } = await asked();
    await github.comment(NAME, issue.number, { by: 'tom', body: MARKER });

    await surface().openProgress(turn, JOB, () => `${MARKER}\nours`);

    expect(told()).toEqual([MARKER, `${MARKER}\nours`]);
  });

  it('P4 changes are written together, and a failed edit fails nothing', async () => {
    const { turn, told } = await asked();
    let step = 0;
    const progress = await surface(20).openProgress(
      turn,
      JOB,
      (ending) => `${MARKER}\n${ending ? 'end' : `step ${step}`}`,
    );
    github.faults.inject({ match: { method: 'PATCH', path: /issues\/comments/ }, status: 403 });
    const before = github.requests.length;

    for (step = 1; step <= 50; step++) progress.changed();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await progress.end({ state: 'done', parts: [] });

    const edits = github.requests.slice(before).filter(({ method }) => method === 'PATCH');
    expect(logged).toHaveLength(1);
    expect(edits.length).toBeLessThanOrEqual(3);
    expect(told()).toEqual([`${MARKER}\nend`]);
  });

  it('P1 P5 a command deleted meanwhile takes no reaction, and the result is told all the same', async () => {
    const { turn, reading, issue, told } = await asked();
    const progress = await surface().openProgress(turn, JOB, () => `${MARKER} now`);
    await github.deleteComment(NAME, reading.comment.place.kind === 'issue-comment' ? reading.comment.place.id : 0, {
      by: 'maria',
    });
    logged.length = 0;

    await surface().accepted(turn);
    await progress.end({ state: 'done', parts: [] });

    expect(logged).toHaveLength(4);
    expect(issue.comments.map(({ body }) => body).concat(told())).toContain(`${MARKER} now`);
  });

  it('P2 P5 an issue that takes no comment of ours decides no job', async () => {
    const { turn } = await asked();
    const match = { method: 'POST', path: /comments$/ };
    github.faults.inject({ match, times: 2, status: 403, body: { message: 'Unable to create comment' } });
    logged.length = 0;

    const progress = await surface().openProgress(turn, JOB, () => MARKER);
    await progress.end({ state: 'done', parts: [] });

    expect(logged).toHaveLength(2);
    github.faults.clear();
  });

  it('P8 what is drawn is redacted once more on its way out', async () => {
    const { turn, told } = await asked();

    await surface().openProgress(turn, JOB, () => `${MARKER}\nSECRET`);

    expect(told()).toEqual([`${MARKER}\n***`]);
  });

  it('B1 a refusal is seen: one reaction, and one short reply per person and subject', async () => {
    const { reading, reactions, told } = await asked();
    const refusal = { kind: 'refuse', why: 'no-permission', reading } as never;

    await surface().refused(refusal);
    await surface().refused(refusal);

    expect(reactions()).toEqual(['-1 dsh[bot]']);
    expect(told()).toEqual([
      '<!-- dsh:refusal 9 -->\nThat command needs write permission on this repository, so nothing was started. (maria\\_x)',
    ]);
  });

  it('T4 each command of a comment gets its own reply, once', async () => {
    const { reading, told } = await asked();
    const reply = (nth: number, text: string) => ({ kind: 'reply', text, reading: { ...reading, nth } }) as never;
    const at = surface();

    for (const _ of [1, 2]) {
      await at.replied(reply(0, 'The list.'));
      await at.replied(reply(1, 'No such command.'));
    }

    expect(told()).toEqual([
      expect.stringMatching(/ 0 -->\nThe list\.$/),
      expect.stringMatching(/ 1 -->\nNo such command\.$/),
    ]);
  });
});
