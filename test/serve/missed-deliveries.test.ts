import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { redeliverMissed } from '../../src/serve/missed-deliveries.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/open-store.ts';

describe('bot-hosts', () => {
  let github: GitHubServer;
  let store: Store;
  let target: Server;
  let answer: number;
  let now: Date;
  const got: string[] = [];

  beforeEach(async () => {
    github = await startGitHub();
    store = openMemoryStore(() => now);
    now = new Date();
    answer = 202;
    got.length = 0;
    target = createServer((request, response) => {
      request.resume().on('end', () => {
        if (answer < 300) got.push(String(request.headers['x-github-delivery']));
        response.writeHead(answer).end();
      });
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    github.setWebhookTarget(`http://127.0.0.1:${(target.address() as AddressInfo).port}`);
    await github.addRepository({ owner: 'acme', name: 'shop', files: { 'README.md': 'shop\n' } });
  });
  afterEach(async () => {
    await github.close();
    await store.close();
    target.close();
    target.closeAllConnections();
  });

  const open = async (title: string) => {
    await github.openIssue('acme/shop', { by: 'tom', title, body: '' });
    await github.settled();
  };
  const asApp = () => {
    const { id: appId, privateKey } = github.app;
    return new Octokit({ baseUrl: github.apiUrl, authStrategy: createAppAuth, auth: { appId, privateKey } });
  };
  const redeliver = async (octokit = asApp()) => {
    const asked = await redeliverMissed(
      { github: octokit, inbox: store.records.inbox, now: () => now },
      new AbortController().signal,
    );
    await github.settled();
    return asked;
  };

  it('H4 what GitHub could not deliver is sent again, once, and nothing else', async () => {
    await open('comes through');
    answer = 500;
    await open('is refused');
    const before = got.length;
    answer = 202;

    expect(await redeliver()).toBe(1);
    expect(got).toHaveLength(before + 1);
    expect(await redeliver()).toBe(0);
    expect(got).toHaveLength(before + 1);
  });

  it('H4 what came in although GitHub saw no answer is not asked for', async () => {
    answer = 500;
    await open('was stored before the line broke');
    const { guid } = github.deliveries.at(-1)!;
    await store.records.inbox.put({ id: guid, key: '1-1', name: 'issues', payload: {}, receivedAt: 1 });

    expect(await redeliver()).toBe(0);
  });

  it('H4 what GitHub no longer sends again is not asked for', async () => {
    answer = 500;
    await open('long ago');
    now = new Date(Date.now() + 4 * 24 * 3_600_000);

    expect(await redeliver()).toBe(0);
  });

  it('H4 one that GitHub refuses to send holds up none behind it, and is told', async () => {
    answer = 503;
    for (const title of ['one', 'two', 'three']) await open(title);
    const missed = github.deliveries.filter(({ statusCode }) => statusCode === 503).map(({ guid }) => guid);
    answer = 202;
    const octokit = asApp();
    let asked = 0;
    octokit.hook.wrap('request', (request, options) => {
      if (!options.url.endsWith('/attempts') || (asked += 1) > 1) return request(options);
      throw Object.assign(new Error('cannot be redelivered'), { status: 422 });
    });

    await expect(redeliver(octokit)).rejects.toThrow('does not send again: 1');
    await github.settled();
    expect(got).toEqual(missed.slice(1));
  });

  it('H4 in the order in which they were missed', async () => {
    answer = 503;
    for (const title of ['one', 'two', 'three']) await open(title);
    const missed = github.deliveries.filter(({ statusCode }) => statusCode === 503).map(({ guid }) => guid);
    answer = 202;

    expect(await redeliver()).toBe(missed.length);
    expect(got).toEqual(missed);
  });
});
