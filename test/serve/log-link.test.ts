import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Nodes } from 'mdast';
import { parseMarkdown } from '../../src/publish/markdown/parse-markdown.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import { foldSessionTitle } from '../../src/seams/session-title/fold-title.ts';
import { transcriptAddress } from '../../src/serve/transcript-address.ts';
import { TranscriptLinks } from '../../src/serve/transcript-link.ts';
import { openSqliteSessions } from '../../src/store/sqlite/sqlite-persistence.ts';
import { viaApp } from '../e2e/support/hosts.ts';
import { botComments } from '../e2e/support/look.ts';
import { openStage } from '../e2e/support/stage.ts';
import type { Stage, Subject } from '../e2e/support/stage.ts';
import { appendRaw, LogWriter } from '../harness/session/session-fixture.ts';
import { headerOf } from '../store/contract-storage.ts';

const TITLE = 'Mend @tom [here](https://evil.test) www.evil.test <img src=x> #12';
let stage: Stage;
let port: number;
let base: string;
let subject: Subject;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

let round = 0;
beforeEach(async () => {
  port = await freePort();
  base = `http://127.0.0.1:${port}`;
  subject = await stage.addIssue(`log-${++round}`);
  const repository = stage.github.state.findRepository(subject.repo)!;
  const log = new LogWriter().startTurn().prompt('why is it wrong?');
  appendRaw(log.session, 'session/title', { title: TITLE, messageSeqs: [1], source: { kind: 'fallback' } });
  log.startStep().answer({ type: 'text', text: 'tax is added twice' }).endStep().endTurn();
  const sessions = openSqliteSessions({ path: join(stage.dataDir, 'dsh.sqlite') });
  const id = `gh-${repository.id}-${subject.number}-1`;
  await sessions.create(headerOf(id));
  await sessions.append(SessionId(id), log.session.events);
  await sessions[Symbol.asyncDispose]();
});

/** What the App answers to `/dsh log`, and what `look` sees while it still runs. */
async function logged<T>(isPrivate: boolean, variables: Record<string, string>, look: (body: string) => Promise<T>) {
  stage.github.state.findRepository(subject.repo)!.private = isPrivate;
  let seen: T | undefined;
  const run = await viaApp(
    stage,
    async () => {
      await stage.github.comment(subject.repo, subject.number, { by: 'maria', body: '/dsh log' });
      await stage.github.settled();
      const body = () => botComments(stage, subject).at(-1)?.body ?? '';
      for (let left = 200; left > 0 && !body().includes('Session `'); left--)
        await new Promise((resolve) => setTimeout(resolve, 25));
      seen = await look(body());
    },
    { PORT: String(port), ...variables },
  );
  return { seen: seen!, run };
}

const linkIn = (body: string) => /\]\((http[^)]+\/sessions\/[^)]+)\)/.exec(body)?.[1];

describe('bot-hosts', () => {
  it('H1 /dsh log in a private repository gives a link that shows the session for an hour, and no other', async () => {
    const { seen } = await logged(true, { DSH_PUBLIC_URL: base }, async (body) => {
      const link = linkIn(body)!;
      const other = link.replace(/gh-(\d+)-(\d+)-1/, 'gh-$1-$2-2');
      const pages = await Promise.all([link, other, link.split('?')[0]!].map((url) => fetch(url)));
      return { body, link, statuses: pages.map(({ status }) => status), text: await pages[0]!.text() };
    });

    expect(seen.link).toMatch(new RegExp(`^${base}/sessions/gh-`));
    expect(seen.statuses).toEqual([200, 404, 404]);
    expect(seen.text).toContain('tax is added twice');
    const until = Number(new URL(seen.link).searchParams.get('until'));
    expect(seen.body).toContain(`until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`);
    expect(Math.abs(until - Date.now() - 3_600_000)).toBeLessThan(60_000);
  });

  it('H1 in a public one it gives no link that opens by itself, and says what to do', async () => {
    const { seen } = await logged(false, { DSH_PUBLIC_URL: base }, async (body) => body);

    expect(linkIn(seen)).toBeUndefined();
    expect(seen).not.toContain('signature');
    expect(seen).toContain('GITHUB_CLIENT_ID');
    expect(seen).toContain('tax is added twice');
  });

  it('H1 where people can sign in it gives the page that asks who they are', async () => {
    const variables = { DSH_PUBLIC_URL: base, GITHUB_CLIENT_ID: 'c', GITHUB_CLIENT_SECRET: 'the-client-secret' };
    const { seen } = await logged(false, variables, async (body) => {
      const link = linkIn(body)!;
      return { link, answer: await fetch(link, { redirect: 'manual' }) };
    });

    expect(seen.link).toMatch(/\/sessions\/gh-\d+-\d+-1$/);
    expect(seen.answer.status).toBe(302);
    expect(seen.answer.headers.get('location')).toContain('/login/oauth/authorize?client_id=c');
  });

  it('H1 an App that does not know its address says so', () => {
    const links = new TranscriptLinks('s', () => new Date(0));
    const parts = { links, publicUrl: undefined, hasLogin: true };
    expect(transcriptAddress(SessionId('gh-1-1-1'), false, parts)).toEqual({ kind: 'none', why: 'no-address' });
  });
});

describe('bot-human-loop', () => {
  const progressOf = async (variables: Record<string, string>) => {
    stage.play([{ text: 'It adds the tax twice.' }]);
    await viaApp(
      stage,
      () => stage.github.comment(subject.repo, subject.number, { by: 'maria', body: '/dsh ask Why is it wrong?' }),
      { PORT: String(port), DSH_PUBLIC_URL: base, ...variables },
    );
    const progress = botComments(stage, subject).find(({ body }) => body.includes('dsh:job'))!;
    return progress.body;
  };

  it('P3 the progress comment links the transcript where a page asks its readers who they are', async () => {
    const body = await progressOf({ GITHUB_CLIENT_ID: 'c', GITHUB_CLIENT_SECRET: 'the-client-secret' });
    expect(body).toContain('It adds the tax twice.');
    expect(body).toMatch(new RegExp(`\\[transcript\\]\\(${base}/sessions/gh-\\d+-\\d+-1\\)`));
  });

  it('P3 it links none that would open by itself, or not at all after an hour', async () => {
    const body = await progressOf({});
    expect(body).toContain('It adds the tax twice.');
    expect(body).not.toContain('/sessions/');
  });
});

const typesIn = (node: Nodes): Set<string> =>
  new Set([node.type, ...('children' in node ? node.children.flatMap((child) => [...typesIn(child)]) : [])]);

describe('session-title', () => {
  it('B2 a title is kept as it was given, and harmless where a comment shows it', async () => {
    const { seen } = await logged(true, {}, async (body) => body);

    const [heading = ''] = seen.split('\n').filter((line) => line.includes('Mend'));
    expect(typesIn(parseMarkdown(heading)!)).toEqual(new Set(['root', 'paragraph', 'strong', 'text']));
    expect(heading.replaceAll('&#8203;', '').replaceAll('\\', '')).toContain(TITLE);
    expect(heading).not.toMatch(/@tom|#12/);
  });

  it('T22 B5 /dsh title names the session in its log, for good, and counts as no turn', async () => {
    await viaApp(stage, () =>
      stage.github.comment(subject.repo, subject.number, { by: 'maria', body: '/dsh title The *tax* bug' }),
    );
    expect(botComments(stage, subject).at(-1)?.body).toContain('is now called The \\*tax\\* bug');

    const sessions = openSqliteSessions({ path: join(stage.dataDir, 'dsh.sqlite') });
    const repository = stage.github.state.findRepository(subject.repo)!;
    const { events } = await sessions.inspect(SessionId(`gh-${repository.id}-${subject.number}-1`));
    await sessions[Symbol.asyncDispose]();
    expect(foldSessionTitle(events)).toMatchObject({
      title: 'The *tax* bug',
      source: { kind: 'user' },
      messageSeqs: [],
    });

    const { seen } = await logged(true, {}, async (body) => body);
    expect(seen).toContain(', 1 turn.');
    expect(seen).toContain('**The \\*tax\\* bug**');
  });
});
