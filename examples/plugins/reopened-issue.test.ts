import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createBot, handleEvent, readEnv } from 'dsh-github';
import type { GitHubEvent, Host, JobRequest } from 'dsh-github';
import { reopenedIssue } from './reopened-issue.ts';

const BOT = 'dsh[bot]';
const repository = {
  ...{ id: 9, name: 'shop', full_name: 'acme/shop', private: false, default_branch: 'main' },
  owner: { login: 'acme' },
};
const MARIA = { id: 2, login: 'maria', type: 'User' };

const dataDir = mkdtempSync(join(tmpdir(), 'dsh-example-'));
const bot = createBot({
  env: readEnv({ DSH_DATA_DIR: dataDir }),
  identity: { product: 'example', version: '0', url: 'https://example.com' },
  log: () => {},
});
afterAll(async () => {
  await bot.close();
  rmSync(dataDir, { recursive: true });
});

function reopened(changed: object = {}): GitHubEvent {
  const issue = { id: 1, number: 3, title: 'Prices', user: MARIA };
  return {
    name: 'issues',
    delivery: 'd1',
    payload: { action: 'reopened', sender: MARIA, repository, issue, ...changed },
  };
}

/** A host that asks no GitHub and runs no job, but says what it would have run. */
function hostOf({ permission = 'write', taken = false } = {}) {
  const jobs: JobRequest['turn'][] = [];
  const host = {
    self: { botLogin: BOT },
    operator: {},
    inputs: {},
    signal: new AbortController().signal,
    readers: [reopenedIssue],
    services: bot.services,
    openRepository: async () => ({
      repo: { owner: 'acme', repo: 'shop' },
      self: { botLogin: BOT },
      permissionOf: async () => ({ kind: 'known', permission }),
      repositoryConfig: async () => ({}),
    }),
    surfaceFor: () => ({}),
    causeTaken: async () => taken,
    runJob: async ({ turn }: JobRequest) => {
      jobs.push(turn);
      return { status: 'completed', produced: { kind: 'nothing' } };
    },
  } as unknown as Host;
  return { host, jobs };
}

describe('bot-hosts', () => {
  it('H11 a trigger from outside starts a turn of a kind of its own', async () => {
    const { host, jobs } = hostOf();

    const handled = await handleEvent(reopened(), host);

    expect(handled).toMatchObject([{ status: 'completed' }]);
    expect(jobs).toMatchObject([
      {
        job: 'ask',
        permission: 'write',
        reading: {
          trigger: { kind: 'issue-reopened', issue: 3, by: 'maria' },
          source: { kind: 'issue-reopened' },
          subject: { kind: 'issue', number: 3 },
          cause: 'reopened-d1',
        },
      },
    ]);
  });

  it.each([
    ['the sender may not ask', reopened(), { permission: 'read' }, 'no-permission'],
    ['GitHub delivers it again', reopened(), { taken: true }, 'cause-taken'],
    ['a bot reopened it', reopened({ sender: { ...MARIA, type: 'Bot' } }), {}, 'bot-author'],
    ['we reopened it ourselves', reopened({ sender: { ...MARIA, login: BOT } }), {}, 'own-author'],
    ['it is another event', reopened({ action: 'closed' }), {}, 'event-not-used'],
    ['the payload is damaged', reopened({ issue: 'gone' }), {}, 'malformed-payload'],
  ])('H11 starts nothing where %s', async (_what, event, facts, why) => {
    const { host, jobs } = hostOf(facts);

    const handled = await handleEvent(event, host);

    expect(handled).toEqual([{ status: 'ignored', why }]);
    expect(jobs).toEqual([]);
  });

  it('H11 our own reader goes first: a command is a command, whatever readers there are', async () => {
    const { host, jobs } = hostOf();
    const greedy = { read: () => ({ kind: 'ignore', why: 'draft' }) as const };
    const issue = { id: 1, number: 3, title: 'Prices', body: '/dsh ask why?', user: MARIA };

    await handleEvent(reopened({ action: 'opened', issue }), { ...host, readers: [greedy] });

    expect(jobs).toMatchObject([{ job: 'ask', request: 'why?', reading: { kind: 'command' } }]);
  });
});
