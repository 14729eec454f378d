import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeForgotten } from '../../../src/action/state/close-forgotten.ts';
import type { RepositoryAccess } from '../../../src/bot/job/job.ts';
import { startGitHub } from '../../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../../src/demo/github/start-github.ts';
import { createGitHub } from '../../../src/github/client.ts';
import type { HumanRequest } from '../../../src/store/records.ts';
import type { ReadSubject } from '../../../src/triggers/reading.ts';
import { comment } from '../../triggers/support/payloads.ts';

const NAME = 'acme/shop';
const ID = 'ap_0123456789ab';
const OPEN = `<!-- dsh:request ${ID} -->\n**Waiting for an approval**\n\n- [x] Approve\n\n<sub>Asked of maria; open until then · \`${ID}\`</sub>`;
let github: GitHubServer;

beforeAll(async () => {
  github = await startGitHub();
  await github.addRepository({ owner: 'acme', name: 'shop', files: { 'a.txt': 'a\n' } });
});
afterAll(() => github.close());

/** What a comment says after somebody answered it. */
async function bodyAfter(
  body: string,
  answer: Partial<ReadSubject> & { kind: string },
  { known, by = 'ours', language }: { known?: boolean; by?: 'ours' | 'maria'; language?: 'zh' } = {},
): Promise<string> {
  const { number } = await github.openIssue(NAME, { by: 'tom', title: 'A slip', body: '' });
  const client = createGitHub({ auth: github.createToken({ actions: NAME }), apiUrl: github.apiUrl });
  const repo = { owner: 'acme', repo: 'shop' };
  const { id } =
    by === 'ours'
      ? (await client.rest.issues.createComment({ ...repo, issue_number: number, body })).data
      : await github.comment(NAME, number, { by, body });
  const reading = { ...comment('/dsh approve')[0], ...answer, subject: { kind: 'issue', number } } as ReadSubject;
  const access = { github: client, repo, ownLogin: 'github-actions[bot]' } as unknown as RepositoryAccess;
  const get = async () => (known ? ({} as HumanRequest) : undefined);
  await closeForgotten(reading, { access, get, language, signal: AbortSignal.timeout(10_000) });
  return (await client.rest.issues.getComment({ ...repo, comment_id: id })).data.body ?? '';
}

const approve = comment(`/dsh approve ${ID}`)[0] as ReadSubject;
const tick = { kind: 'boxes', request: ID } as const;

describe('bot-hosts', () => {
  it.each([
    ['a command', approve],
    ['a tick', tick],
  ])(
    'H9 a question of which no run knows any more is closed when %s answers it, and says why',
    async (_what, answer) => {
      const body = await bodyAfter(OPEN, answer as typeof tick);

      expect(body).toMatch(new RegExp(`^<!-- dsh:request ${ID} -->\\n\\*\\*Withdrawn\\*\\*\\n`));
      expect(body).toContain('Please give the command again.');
      expect(body).not.toContain('[x]');
    },
  );

  it('H9 the comment of its job waits no more', async () => {
    const waiting = `<!-- dsh:job gh-1-1-1 comment-1 -->\n**Waiting for you**: Mend it.\n\nThe comment with \`${ID}\` says what is asked.`;

    expect(await bodyAfter(waiting, tick)).toBe(waiting.replace('Waiting for you', 'Stopped'));
    const other = waiting.replace(ID, 'ap_999999999999');
    expect(await bodyAfter(other, tick)).toBe(other);
  });

  it('H9 in the language of the settings', async () => {
    expect(await bodyAfter(OPEN, tick, { language: 'zh' })).toMatch(/\*\*已撤回\*\*[^]*请重新发出命令/);
  });

  it.each([
    ['what is known', OPEN, tick, { known: true }],
    ['what was decided', `<!-- dsh:request ${ID} -->\n**Approved**\n\nApproved by otto.`, tick, {}],
    ["somebody's copy", OPEN, tick, { by: 'maria' } as const],
    ['what another event is about', OPEN, comment('/dsh status')[0] as ReadSubject, {}],
    ['what an answer without an id means', OPEN, comment('/dsh approve')[0] as ReadSubject, {}],
  ])('H9 %s stays as it is', async (_what, body, answer, more) => {
    expect(await bodyAfter(body, answer as typeof tick, more)).toBe(body);
  });
});
