import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readReplayLog } from '../../src/cli/replay-log.ts';
import { exportSession } from '../../src/cli/sessions/export-session.ts';
import { listSessions } from '../../src/cli/sessions/list-sessions.ts';
import { withSessionQuery } from '../../src/cli/sessions/open-session-query.ts';
import { searchSessions } from '../../src/cli/sessions/search-sessions.ts';
import { showSession } from '../../src/cli/sessions/show-session.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import type { TurnTrigger } from '../../src/harness/session/types.ts';
import { openSqliteSessions } from '../../src/store/sqlite/sqlite-persistence.ts';
import { LogWriter } from '../harness/session/session-fixture.ts';
import { headerOf } from '../store/contract-storage.ts';

/** Two repositories, one of which maria may read, and work without any. */
const REPOSITORIES = { shop: 9, vault: 10 };
const OPEN = 'gh-9-12-1';
const HIDDEN = 'gh-10-3-1';
const CHILD = `${HIDDEN}-sub-1`;
const LOCAL = 'local-abc';
/** Its child belongs to the other repository. */
const PARENT = 'gh-10-4-1';

let folder: string;
let github: Server;
let variables: Record<string, string>;
let readable: Set<string>;
let asked: string[];

function about(name: keyof typeof REPOSITORIES): TurnTrigger {
  const repo = { id: REPOSITORIES[name], owner: 'acme', name };
  const subject = { kind: 'issue', number: 1 } as const;
  return { kind: 'github-issue', cause: 'c', delivery: 'd', repo, subject, actor: { id: 1, login: 'x' }, action: 'o' };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dsh-caller-'));
  github = createServer((request, response) => {
    const [name, login] = [request.url!.split('/').at(-1)!, request.headers.authorization!.replace('Bearer ', '')];
    asked.push(`${login} ${request.url}`);
    const mayRead = readable.has(`${login} ${name}`);
    response.writeHead(mayRead ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(mayRead ? { id: REPOSITORIES[name as keyof typeof REPOSITORIES] } : {}));
  });
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
  variables = { HOME: folder, DSH_DATA_DIR: folder, GITHUB_API_URL: apiUrl };
  const sessions = openSqliteSessions({ path: join(folder, 'dsh.sqlite') });
  const put = async (id: string, trigger?: TurnTrigger, parent?: string) => {
    await sessions.create(headerOf(id, parent === undefined ? {} : { parentSession: SessionId(parent) }));
    const log = new LogWriter().shortTurn('the password is wrong', 'so it is', trigger);
    await sessions.append(SessionId(id), log.session.events);
  };
  await put(OPEN, about('shop'));
  await put(HIDDEN, about('vault'));
  await put(CHILD, undefined, HIDDEN);
  await put(PARENT, about('vault'));
  await put('gh-9-13-1', undefined, PARENT);
  await put(LOCAL);
  await sessions[Symbol.asyncDispose]();
});
afterAll(async () => {
  github.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  readable = new Set(['maria shop']);
  asked = [];
});

async function said(
  command: (output: { say(line: string): void; result(value: unknown): void }) => Promise<unknown>,
): Promise<string> {
  const lines: string[] = [];
  await command({ say: (line) => lines.push(line), result: (value) => lines.push(JSON.stringify(value)) });
  return lines.join('\n');
}
const by = (login?: string) => ({ ...variables, ...(login !== undefined && { GITHUB_TOKEN: login }) });
const list = (login?: string) =>
  said((output) => listSessions({ limit: 30, children: true }, by(login), output)).then((text) =>
    [OPEN, HIDDEN, CHILD, LOCAL].filter((id) => text.includes(id)),
  );

describe('session-query', () => {
  it('B1 lists the sessions of repositories that the caller may read now, and local work', async () => {
    expect(await list('maria')).toEqual([OPEN, LOCAL]);
    expect(asked.toSorted()).toEqual(['maria /repos/acme/shop', 'maria /repos/acme/vault']);

    readable = new Set(['maria vault']);
    expect(await list('maria')).toEqual([HIDDEN, CHILD, LOCAL]);
    expect(await list('tom')).toEqual([LOCAL]);
  });

  it('B1 a repository that took the place of another one opens nothing', async () => {
    readable = new Set(['maria shop', 'maria vault']);
    REPOSITORIES.vault = 11;

    expect(await list('maria')).toEqual([OPEN, LOCAL]);
    REPOSITORIES.vault = 10;
  });

  it('B1 without a token who may open the store sees all of it, and GitHub is not asked', async () => {
    expect(await list()).toEqual([OPEN, HIDDEN, CHILD, LOCAL]);
    expect(asked).toEqual([]);
  });

  it.each(['show', 'events', 'export', 'search in one'])(
    'B1 %s says of a hidden session what it says of one that is not there',
    async (how) => {
      const flags = { literal: false, limit: 20 };
      const look = (id: string) =>
        said((output) => {
          if (how === 'export') return exportSession(id, { format: 'jsonl' }, by('maria'), output);
          if (how === 'search in one')
            return searchSessions('password', { ...flags, session: id }, by('maria'), output);
          return showSession(id, { events: how === 'events' }, by('maria'), output);
        });
      const refusal = (id: string) =>
        look(id).then(
          () => 'shown',
          (error: Error & { hint?: string }) => `${error.message} ${error.hint}`.replaceAll(id, 'ID'),
        );

      const nothing = await refusal('gh-10-99-1');
      expect(await refusal(OPEN)).toBe('shown');
      expect(nothing).toContain('There is no session ID.');
      expect([await refusal(HIDDEN), await refusal(CHILD)]).toEqual([nothing, nothing]);
    },
  );

  it('B1 replay reads no hidden session either', async () => {
    expect((await readReplayLog(OPEN, by('maria'))).meta.id).toBe(OPEN);
    const refusal = (id: string) =>
      readReplayLog(id, by('maria')).then(String, (error: Error) => error.message.replaceAll(id, 'ID'));
    expect(await refusal(HIDDEN)).toBe(await refusal('gh-10-99-1'));
  });

  it('B1 a search finds, counts and names nothing of what is hidden', async () => {
    const search = (literal: boolean) =>
      said((output) => searchSessions('password', { literal, limit: 20 }, by('maria'), output));

    for (const literal of [true, false]) {
      const text = await search(literal);
      expect([text.includes(OPEN), text.includes(LOCAL), text.includes(HIDDEN)]).toEqual([true, true, false]);
      expect((JSON.parse(text.split('\n').at(-1)!) as { hits: unknown[] }).hits).toHaveLength(3);
    }
  });

  it('B1 a parent that is hidden is one that is not there', async () => {
    const lineage = await withSessionQuery(by('maria'), async ({ query }) =>
      query.traceSession(SessionId('gh-9-13-1')),
    );
    expect(lineage).toMatchObject({ complete: false, unresolvedParentId: PARENT, ancestors: [] });
    const whole = await withSessionQuery(by(), ({ query }) => query.traceSession(SessionId('gh-9-13-1')));
    expect(whole).toMatchObject({ complete: true, root: { header: { id: PARENT } } });
  });

  it('B1 what may only be looked at can be neither written nor mended', async () => {
    await withSessionQuery(by('maria'), async ({ sessions }) => {
      const whole = sessions as unknown as { load(): Promise<unknown>; append(): Promise<unknown> };
      for (const act of [() => whole.load(), () => whole.append()]) await expect(act()).rejects.toThrow('cannot be');
    });
  });

  it('B3 on a runner, where only the restored session is, its lineage is incomplete and all else as ever', async () => {
    const runner = { HOME: folder, RUNNER_TEMP: join(folder, 'runner') };
    const sessions = openSqliteSessions({ path: join(folder, 'runner', 'dsh', 'dsh.sqlite') });
    await sessions.create(headerOf(OPEN, { parentSession: SessionId('gh-9-1-1') }));
    await sessions.append(SessionId(OPEN), new LogWriter().shortTurn('still wrong', 'mended').session.events);
    await sessions[Symbol.asyncDispose]();

    const traced = await withSessionQuery(runner, ({ query }) => query.traceSession(SessionId(OPEN)));
    const shown = await said((output) => showSession(OPEN, { events: false }, runner, output));
    const listed = await said((output) => listSessions({ limit: 30, children: true }, runner, output));

    expect(traced).toMatchObject({ complete: false, unresolvedParentId: 'gh-9-1-1', ancestors: [], descendants: [] });
    expect(shown).toContain('mended');
    expect(listed).toContain(OPEN);
    await expect(showSession('gh-9-1-1', { events: false }, runner, { say() {}, result() {} })).rejects.toThrow(
      'There is no session gh-9-1-1.',
    );
  });
});
