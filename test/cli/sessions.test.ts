import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportSession } from '../../src/cli/sessions/export-session.ts';
import type { ExportFlags } from '../../src/cli/sessions/export-session.ts';
import { listSessions } from '../../src/cli/sessions/list-sessions.ts';
import { searchSessions } from '../../src/cli/sessions/search-sessions.ts';
import type { SearchFlags } from '../../src/cli/sessions/search-sessions.ts';
import { showSession } from '../../src/cli/sessions/show-session.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { openSqliteSessions } from '../../src/store/sqlite/sqlite-persistence.ts';
import { runDsh } from '../e2e/support/run-dsh.ts';
import { appendRaw, LogWriter } from '../harness/session/session-fixture.ts';
import { headerOf } from '../store/contract-storage.ts';

const TOKEN = `ghp_${'aB3'.repeat(12)}`;
let folder: string;
let variables: Record<string, string>;
let parent: readonly SessionEvent[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dsh-sessions-'));
  variables = { HOME: folder, DSH_DATA_DIR: join(folder, 'data'), OPENAI_API_KEY: 'a-token-of-this-host' };
  const sessions = openSqliteSessions({ path: join(folder, 'data', 'dsh.sqlite') });
  const log = new LogWriter().startTurn().prompt(`mend the total, ${TOKEN}`);
  appendRaw(log.session, 'session/title', { title: 'Mend the total', messageSeqs: [1], source: { kind: 'fallback' } });
  const child = { turn: 1, runId: 'r', provider: 'spawn', session: 'gh-1-2-1-sub-1', label: 'find the cause' };
  appendRaw(log.session, 'subagent/started', child);
  log.startStep().answer({ type: 'text', text: 'a-token-of-this-host is <b>not</b> said' }).endStep().endTurn();
  parent = log.session.events;
  await sessions.create(headerOf('gh-1-2-1'));
  await sessions.append(SessionId('gh-1-2-1'), parent);
  const own = new LogWriter().shortTurn('where?', 'in total.ts').session.events;
  await sessions.create(headerOf('gh-1-2-1-sub-1', { parentSession: SessionId('gh-1-2-1') }));
  await sessions.append(SessionId('gh-1-2-1-sub-1'), own);
  const other = new LogWriter().startTurn().prompt('other work on the totals\u001b[31m').session.events;
  await sessions.create(headerOf('gh-1-3-1', { createdAt: 1_800_000_000_000 }));
  await sessions.append(SessionId('gh-1-3-1'), other);
  await sessions[Symbol.asyncDispose]();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a command said and gave, run in this process. */
async function said(command: (output: { say(line: string): void; result(value: unknown): void }) => Promise<number>) {
  const lines: string[] = [];
  let given: unknown;
  const code = await command({ say: (line) => void lines.push(line), result: (value) => void (given = value) });
  return { code, lines, text: lines.join('\n'), result: given as never as Record<string, never> };
}
const list = (more = {}) => said((output) => listSessions({ limit: 30, children: false, ...more }, variables, output));
const show = (id: string, events = false) => said((output) => showSession(id, { events }, variables, output));
const search = (words: string, more: Partial<SearchFlags> = {}) =>
  said((output) => searchSessions(words, { literal: false, limit: 20, ...more }, variables, output));
const exported = (format: ExportFlags['format'], more = {}) =>
  said((output) => exportSession('gh-1-2-1', { format, ...more }, variables, output));

describe('bot-hosts', () => {
  describe('dsh sessions', () => {
    it('lists the newest first, with name, end and use, and children only where asked', async () => {
      const { lines, result, code } = await list();
      expect(code).toBe(0);
      expect(lines).toEqual([
        'SESSION   LAST CHANGE       STATUS     TOKENS  TITLE',
        'gh-1-3-1  1970-01-01 00:00  running    0',
        'gh-1-2-1  1970-01-01 00:00  completed  0       Mend the total',
      ]);
      expect(result).toMatchObject([
        { id: 'gh-1-3-1', title: null, turns: 1, status: 'running', parentSession: null },
        { id: 'gh-1-2-1', title: 'Mend the total', turns: 1, status: 'completed', model: null },
      ]);
      expect((await list({ children: true })).text).toContain('child of gh-1-2-1');
      expect((await list({ limit: 1 })).lines.at(-1)).toBe('and 1 older: --limit shows more');
    });

    it('shows a session with its children in their place and without secrets, or its events', async () => {
      const { text } = await show('gh-1-2-1');
      expect(text).toContain('# Mend the total');
      expect(text).toContain('**Request:** mend the total, ***');
      expect(text).toContain('**Child agent:** find the cause (gh-1-2-1-sub-1)');
      expect(text).toContain('> in total.ts');
      expect(text).toContain('*** is <b>not</b> said');
      expect(text).not.toMatch(/ghp_|a-token-of-this-host/);
      const events = await show('gh-1-2-1', true);
      expect(events.lines[2]).toMatch(/^1 +\S+ +current +user\/message$/);
      await expect(show('nobody')).rejects.toMatchObject({ code: 'USAGE' });
    });

    it('finds sessions by phrase, places in one, and parts of words by a literal look', async () => {
      const found = await search('the total');
      expect(found.lines).toEqual([
        'gh-1-2-1  Mend the total  (1)',
        '  1970-01-01 00:00  1 user/message: mend the total, ***',
      ]);
      expect((await search('total', { literal: true })).result).toMatchObject({ hits: { length: 3 } });
      const inside = await search('total', { session: 'gh-1-2-1-sub-1' });
      expect(inside.text).toContain('assistant/message: in total.ts');
      expect((await search('nowhere')).text).toContain('Nothing was found');
      expect((await search('total', { since: '2026-01-01' })).text).toContain('Nothing was found');
      const page = await search('total', { literal: true, limit: 1 });
      const cursor = /--cursor (\S+)/.exec(page.text)![1]!;
      expect((await search('total', { literal: true, limit: 1, cursor })).lines).toHaveLength(3);
      expect(await readdir(variables['DSH_DATA_DIR']!)).toContain('search.sqlite');
    });

    it.each<[string, string, Partial<SearchFlags>]>([
      ['no words', ' ', {}],
      ['no date', 'x', { since: 'soon' }],
      ['too many at once', 'x', { limit: 101 }],
      ['another search’s cursor', 'x', { cursor: 'abc' }],
      ['no such session', 'x', { session: 'nobody' }],
    ])('refuses to search with %s as wrong use', async (_what, words, flags) => {
      await expect(search(words, flags)).rejects.toMatchObject({ code: 'USAGE' });
    });

    it('exports the raw log so that it can be read back as it was', async () => {
      const { text } = await exported('jsonl');
      const [header, ...events] = text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(header).toMatchObject({ type: 'session', id: 'gh-1-2-1' });
      expect(JSON.stringify(events)).toBe(JSON.stringify(parent));
    });

    it('exports what people read as Markdown and HTML, without secrets, to a new file where one is named', async () => {
      const page = join(folder, 'page.html');
      expect((await exported('html', { output: page })).lines).toEqual([]);
      const html = readFileSync(page, 'utf8');
      expect(html).toContain('<title>Mend the total</title>');
      expect(html).toContain('&lt;b&gt;not&lt;/b&gt;');
      expect(html).toContain('in total.ts');
      for (const text of [html, (await exported('md')).text]) expect(text).not.toMatch(/ghp_|a-token-of-this-host/);
      await expect(exported('html', { output: page })).rejects.toMatchObject({ code: 'USAGE' });
      expect(readFileSync(page, 'utf8')).toBe(html);
      await expect(exported('md', { output: '/nope/x' })).rejects.toMatchObject({ code: 'USAGE' });
    });

    it('only looks: a log that is being written is not mended', async () => {
      for (const look of [() => list(), () => show('gh-1-3-1'), () => search('work')]) await look();
      const sessions = openSqliteSessions({ path: join(folder, 'data', 'dsh.sqlite') });
      expect((await sessions.inspect(SessionId('gh-1-3-1'))).events).toHaveLength(2);
      await sessions[Symbol.asyncDispose]();
    });

    it('says one JSON document, and nothing a terminal obeys', async () => {
      const { code, stdout, stderr } = await runDsh(['sessions', 'search', 'other', 'work', '--json'], variables);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'done', result: { hits: [{ matches: 1 }], unreadable: [] } });
      expect(stdout + stderr).not.toContain('\u001b');
      const wrong = await runDsh(['sessions', 'list', '--limit', 'many', '--json'], variables);
      expect(wrong.code).toBe(2);
    });
  });
});

/** Every stored byte of the logs. */
function storedRows(): unknown[] {
  const database = new DatabaseSync(join(folder, 'data', 'dsh.sqlite'), { readOnly: true });
  const rows = database.prepare('select session_id, seq, type, data from events order by session_id, seq').all();
  database.close();
  return rows;
}

describe('persistence', () => {
  it('B3 looking at a session whose turn another worker is in writes nothing into its log', async () => {
    const before = storedRows();

    await list();
    await show('gh-1-3-1', true);
    await search('totals');
    await said((output) => exportSession('gh-1-3-1', { format: 'jsonl' }, variables, output));

    expect(storedRows()).toEqual(before);
    expect(before).toContainEqual(expect.objectContaining({ session_id: 'gh-1-3-1', type: 'turn/start' }));
    expect(before).not.toContainEqual(expect.objectContaining({ session_id: 'gh-1-3-1', type: 'turn/end' }));
  });
});
