import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CallId } from '../../../src/harness/llm/types.ts';
import { HarnessError } from '../../../src/harness/llm/errors.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent, SessionHeader } from '../../../src/harness/session/types.ts';
import type { EventFilter, SessionFilter } from '../../../src/seams/session-query/search/types.ts';
import { SqliteSearchIndex, sqliteSearchIndex } from '../../../src/store/search/sqlite-search-index.ts';
import { appendRaw, LogWriter, text } from '../../harness/session/session-fixture.ts';
import { condense, header, live, queryBench } from './query-bench.ts';
import type { QueryBench } from './query-bench.ts';

let folder: string;
let b: QueryBench;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dsh-search-'));
  b = await queryBench();
  await b.ctx.plugin(sqliteSearchIndex, { path: join(folder, 'search.sqlite') });
});
afterEach(async () => {
  await b.ctx.fiber.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** A log of one turn for each list of prompt and answers. */
function talk(...turns: string[][]): readonly SessionEvent[] {
  const log = new LogWriter();
  for (const [prompt = '', ...answers] of turns) {
    log.startTurn().prompt(prompt);
    for (const answer of answers)
      log
        .startStep()
        .answer(...text(answer))
        .endStep();
    log.endTurn();
  }
  return log.session.events;
}

function store(id: string, events: readonly SessionEvent[], more: Partial<SessionHeader> = {}): SessionId {
  const meta = header(id, more);
  b.storage.put(meta, events);
  return meta.id;
}

const sessionIds = async (query: string, more: object = {}) =>
  (await b.query.searchSessions({ query, ...more })).hits.map(({ session }) => session.header.id as string);
const seqs = async (query: string, more: object = {}) =>
  (await b.query.searchEvents({ sessionId: SessionId('a'), query, ...more })).hits.map(({ seq }) => seq);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: { code: string }) => error.code.replace('SESSION_QUERY_', ''),
  );

describe('session-query', () => {
  describe('search', () => {
    it('Q17 groups by session with the best match, and finds the events of one', async () => {
      store('a', talk(['where is the total?', 'the total is in total.ts'], ['total total', 'fine']));
      store('b', talk(['other work', 'no such thing']));
      store('c', talk(['the total, please', 'here']));

      const { hits, nextCursor, unreadable } = await b.query.searchSessions({ query: 'total' });
      expect(hits.map(({ session, matches }) => [session.header.id, matches])).toEqual([
        ['a', 3],
        ['c', 1],
      ]);
      expect(hits[0]!.bestMatch).toMatchObject({ seq: 7, type: 'user/message', spans: 2, snippet: 'total total' });
      expect(hits[0]).toMatchObject({ session: { live: false, persisted: true } });
      expect(nextCursor).toBeUndefined();
      expect(unreadable).toEqual([]);
      expect(await seqs('total')).toEqual([7, 3, 1]);
    });

    it.each<[string, SessionFilter, string[]]>([
      ['id', { kind: 'id', values: [SessionId('b'), SessionId('c')] }, ['c', 'b']],
      ['cwd', { kind: 'cwd', values: ['/x'] }, ['a']],
      ['created-at', { kind: 'created-at', from: 2_000, to: 3_000 }, ['c', 'b']],
      ['parent', { kind: 'parent', values: [SessionId('a')] }, ['b']],
      ['availability', { kind: 'availability', values: ['live'] }, ['l']],
    ])('Q17 filters sessions by %s', async (_kind, filter, expected) => {
      store('a', talk(['word']), { createdAt: 1_000, cwd: '/x' });
      store('b', talk(['word']), { createdAt: 2_000, parentSession: SessionId('a') });
      store('c', talk(['word']), { createdAt: 3_000 });
      live(b, header('l', { createdAt: 4_000 }))
        .startTurn()
        .prompt('word');

      const found = await sessionIds('word', { sessionFilters: [filter] });
      expect(found.toSorted()).toEqual(expected.toSorted());
    });

    it.each<[string, EventFilter[], number[]]>([
      ['seq', [{ kind: 'seq', from: 2, to: 6 }], [3]],
      ['time', [{ kind: 'time', to: 1_003 }], [3, 1]],
      ['type', [{ kind: 'type', values: ['assistant/message'] }], [3]],
      ['type, either', [{ kind: 'type', values: ['assistant/message', 'user/message'] }], [7, 3, 1]],
      [
        'two filters, both',
        [
          { kind: 'seq', to: 5 },
          { kind: 'type', values: ['user/message'] },
        ],
        [1],
      ],
      ['surface', [{ kind: 'surface', values: ['current'] }], [7, 3, 1]],
      ['surface', [{ kind: 'surface', values: ['shadowed', 'log-only'] }], []],
      ['text', [{ kind: 'text', values: ['total.t', 'nothing'] }], [3]],
    ])('Q17 filters events by %s', async (_kind, filters, expected) => {
      store('a', talk(['where is the total?', 'the total is in total.ts'], ['total total', 'fine']));
      expect(await seqs('total', { filters })).toEqual(expected);
      const found = await b.query.searchSessions({ query: 'total', eventFilters: filters });
      expect(found.hits.map(({ matches }) => matches)).toEqual(expected.length > 0 ? [expected.length] : []);
    });

    it('Q17 knows what was replaced', async () => {
      const log = new LogWriter().startTurn().prompt('old word');
      condense(log.session, 1, 1);
      store('a', log.endTurn().session.events);

      expect(await seqs('word', { filters: [{ kind: 'surface', values: ['shadowed'] }] })).toEqual([1]);
      expect(await seqs('word', { filters: [{ kind: 'surface', values: ['current'] }] })).toEqual([]);
    });

    it.each([
      ['total OR nothing', 0],
      ['NEAR(total ts)', 0],
      ['"total"', 4],
      ['tot*', 0],
      ['total*', 4],
      ['text: total', 0],
      ['total - ts', 1],
      ['total ts', 1],
      ["'); drop table words; --", 0],
      ['   TOTAL \n\t TS  ', 1],
    ])('Q18 takes %j as one literal phrase', async (query, spans) => {
      store('a', talk(['the total is in total.ts: total, total']));
      const { hits } = await b.query.searchEvents({ sessionId: SessionId('a'), query });
      expect(hits[0]?.spans ?? 0).toBe(spans);
    });

    it.each([
      ['', 'INVALID_QUERY'],
      ['  \n', 'INVALID_QUERY'],
      ['a\0b', 'INVALID_QUERY'],
      ['x'.repeat(1_001), 'INVALID_QUERY'],
    ])('Q18 Q19 refuses the query %j before any source is read', async (query, code) => {
      expect(await codeOf(b.query.searchSessions({ query }))).toBe(code);
      expect(b.storage.asked).toEqual([]);
    });

    it('Q18 filters before it ranks: what is filtered out takes no place on the page', async () => {
      for (let i = 0; i < 30; i++) store(`s${i}`, talk([`word ${'word '.repeat(i)}`]));
      const sessionFilters: SessionFilter[] = [{ kind: 'id', values: [SessionId('s0')] }];
      expect(await sessionIds('word', { limit: 1, sessionFilters })).toEqual(['s0']);
    });

    it('Q18 ranks by spans, then the shorter text, the later time, the id, the later event', async () => {
      const at = (events: readonly SessionEvent[], time: number) => events.map((event) => ({ ...event, time }));
      store('many', at(talk(['word word word and a lot of other things']), 1));
      store('long', at(talk(['word and some more']), 9));
      store('late', at(talk(['a word']), 9));
      store('early', at(talk(['a word']), 1));
      store('a', at(talk(['a word'], ['a word']), 1));

      expect(await sessionIds('word')).toEqual(['many', 'late', 'a', 'early', 'long']);
      expect(await seqs('word')).toEqual([4, 1]);
    });

    it('Q18 shows plain text around the place, never more than 240 code points', async () => {
      const smileys = '😀'.repeat(400);
      store(
        'a',
        talk(
          [`${smileys} <b>the\n\n  needle</b> ${smileys}`],
          [`needle ${smileys}`],
          [`${smileys} needle`],
          ['needle'],
        ),
      );
      const { hits } = await b.query.searchEvents({ sessionId: SessionId('a'), query: 'needle' });

      for (const { snippet } of hits) {
        expect([...snippet].length).toBeLessThanOrEqual(240);
        expect(snippet).toContain('needle');
        expect(snippet.isWellFormed()).toBe(true);
        expect(snippet).not.toMatch(/[\n\u0001\u0002]/);
      }
      const bySeq = new Map(hits.map(({ seq, snippet }) => [seq, snippet]));
      expect(bySeq.get(1)).toMatch(/^…😀+ <b>the needle<\/b> 😀+…$/u);
      expect(bySeq.get(4)).toMatch(/^needle 😀+…$/u);
      expect(bySeq.get(7)).toMatch(/^…😀+ needle$/u);
      expect(bySeq.get(10)).toBe('needle');
    });

    it('Q18 gives 20 a page unless told, at most 100', async () => {
      store('a', talk(...Array.from({ length: 30 }, (_, i) => [`word ${i}`])));
      expect(await seqs('word')).toHaveLength(20);
      expect(await seqs('word', { limit: 100 })).toHaveLength(30);
      for (const limit of [0, 101, 1.5, -1, Number.NaN]) {
        expect(await codeOf(b.query.searchSessions({ query: 'word', limit }))).toBe('INVALID_LIMIT');
      }
    });

    it('Q19 pages without gap or double, to the end', async () => {
      for (let i = 0; i < 7; i++) store(`s${i}`, talk([`word ${'and '.repeat(i)}`]));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await b.query.searchSessions({ query: 'word', limit: 3, ...(cursor && { cursor }) });
        seen.push(...page.hits.map(({ session }) => session.header.id));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6']);
    });

    it('Q19 binds a cursor to its request and to the corpus it was made from', async () => {
      for (let i = 0; i < 4; i++) store(`s${i}`, talk(['a word']));
      const request = { query: 'word', limit: 2 };
      const { nextCursor: cursor } = await b.query.searchSessions(request);

      expect(cursor).toMatch(/^[\w-]+$/);
      expect(await codeOf(b.query.searchSessions({ ...request, query: 'a', cursor: cursor! }))).toBe('INVALID_CURSOR');
      expect(await codeOf(b.query.searchSessions({ ...request, limit: 3, cursor: cursor! }))).toBe('INVALID_CURSOR');
      for (const bad of ['', 'x', 'bnVsbA', Buffer.from('[1,2,3]').toString('base64url')]) {
        expect(await codeOf(b.query.searchSessions({ ...request, cursor: bad }))).toBe('INVALID_CURSOR');
      }
      expect(await sessionIds('  word ', { limit: 2, cursor })).toEqual(['s2', 's3']);
      store('s4', talk(['unrelated']));
      expect(await codeOf(b.query.searchSessions({ ...request, cursor: cursor! }))).toBe('STALE_CURSOR');
    });

    it('Q19 notices a live session that goes on', async () => {
      const log = live(b, header('l')).startTurn().prompt('word').context('word');
      const request = { query: 'word', limit: 1, sessionId: SessionId('l') };
      const { nextCursor } = await b.query.searchEvents(request);
      log.context('more');
      expect(await codeOf(b.query.searchEvents({ ...request, cursor: nextCursor! }))).toBe('STALE_CURSOR');
    });

    it.each<[string, object]>([
      ['an unknown kind', { kind: 'author', values: ['x'] }],
      ['no values', { kind: 'type', values: [] }],
      ['values of another kind', { kind: 'type', values: [1] }],
      ['no list', { kind: 'id' }],
      ['an unknown surface', { kind: 'surface', values: ['gone'] }],
      ['an unknown availability', { kind: 'availability', values: ['lost'] }],
      ['an empty text', { kind: 'text', values: [''] }],
      ['an open range', { kind: 'seq' }],
      ['a fraction', { kind: 'time', from: 0.5 }],
    ])('Q19 refuses a filter with %s', async (_what, filter) => {
      expect(await codeOf(b.query.searchSessions({ query: 'x', eventFilters: [filter as never] }))).toBe(
        'INVALID_FILTER',
      );
    });

    it('Q19 says so where no index is mounted, the session is unknown, or nobody waits any more', async () => {
      const { query } = await queryBench();
      expect(await codeOf(query.searchSessions({ query: 'x' }))).toBe('SEARCH_DISABLED');
      expect(await codeOf(b.query.searchEvents({ sessionId: SessionId('none'), query: 'x' }))).toBe(
        'SESSION_NOT_FOUND',
      );
      expect(await codeOf(b.query.searchSessions({ query: 'x', signal: AbortSignal.abort() }))).toBe('ABORTED');
      const controller = new AbortController();
      store('a', talk(['word']));
      b.storage.onAnswer = () => controller.abort();
      expect(await codeOf(b.query.searchSessions({ query: 'x', signal: controller.signal }))).toBe('ABORTED');
      b.storage.failsAt = 'list';
      expect(await codeOf(b.query.searchSessions({ query: 'x' }))).toBe('PERSISTENCE_FAILED');
    });

    it('Q19 names sessions it cannot read and searches the others; alone, such a session is an error', async () => {
      const log = new LogWriter().startTurn().prompt('word').session.events;
      store('broken', [log[0]!, { ...log[1]!, surfaceOp: { op: 'replace', start: 7, end: 9 } } as SessionEvent]);
      store('good', talk(['word']));

      expect(await b.query.searchSessions({ query: 'word' })).toMatchObject({
        hits: [{ session: { header: { id: 'good' } } }],
        unreadable: ['broken'],
      });
      expect(await codeOf(b.query.searchEvents({ sessionId: SessionId('broken'), query: 'word' }))).toBe(
        'CORRUPT_SESSION',
      );
      b.storage.inspect = () => Promise.reject(new HarnessError('row 3 is damaged', 'CORRUPT_SESSION'));
      store('worse', []);
      expect((await b.query.searchSessions({ query: 'word' })).unreadable).toContain('worse');
    });

    it('Q20 finds what was said, thought, called, answered, planned and what failed, and nothing else', async () => {
      const s = new LogWriter().startTurn().prompt('promptword').context('contextword').startStep();
      appendRaw(s.session, 'request/header', {
        header: { config: { provider: 'p', model: 'headerword' }, system: 'systemword' },
        reason: 'initial',
      });
      s.chunk('chunkword');
      s.answer(
        { type: 'reasoning', text: 'reasonword' },
        { type: 'text', text: 'answerword' },
        { type: 'tool-call', id: CallId('c'), name: 'nameword', arguments: '{"a":"argumentword"}' },
      );
      const call = { turn: 1, step: 1, callId: CallId('c'), name: 'nameword', arguments: '{"a":"argumentword"}' };
      const { seq } = s.session.append('tool/call', call);
      s.session.append(
        'tool/result',
        {
          turn: 1,
          step: 1,
          callId: CallId('c'),
          content: text('resultword'),
          isError: true,
          error: { name: 'E', code: 'CODEWORD' },
        },
        { surfaceOp: 'append', sourceEventSeqs: [seq] },
      );
      s.session.append('todo/write', { todos: [{ content: 'todoword', status: 'pending' }] });
      s.endStep().endTurn({ kind: 'error', step: 1, message: 'failureword' });
      s.startTurn();
      appendRaw(s.session, 'prompt/blocked', {
        content: text('blockedword'),
        source: { kind: 'user' },
        reason: 'becauseword',
      });
      s.endTurn({ kind: 'rejected', reason: 'rejectedword' });
      store('a', s.session.events);

      const found = [
        'prompt',
        'context',
        'reason',
        'answer',
        'name',
        'argument',
        'result',
        'code',
        'todo',
        'failure',
        'blocked',
        'because',
        'rejected',
      ];
      for (const word of found) expect([word, (await seqs(`${word}word`)).length]).toEqual([word, 1]);
      for (const word of ['chunk', 'header', 'system']) expect([word, await seqs(`${word}word`)]).toEqual([word, []]);
    });

    it('Q20 finds words and not parts of them, in any case and with any accent', async () => {
      store('a', talk(['BRAID café Straße naïve_name'], ['価格の計算 AI']));
      expect(await seqs('AI')).toEqual([4]);
      expect(await seqs('cafe')).toEqual([1]);
      expect(await seqs('braid')).toEqual([1]);
      expect(await seqs('計算')).toEqual([]);
    });

    it('Q20 finds CJK and parts of words by the literal scan', async () => {
      store('a', talk(['BRAID'], ['価格の計算'], ['計算と計算']));
      const scan = async (value: string) => {
        const filters: EventFilter[] = [{ kind: 'text', values: [value] }];
        return (await b.query.searchEvents({ sessionId: SessionId('a'), filters })).hits.map((hit) => [
          hit.seq,
          hit.spans,
          hit.snippet,
        ]);
      };
      expect(await scan('計算')).toEqual([
        [7, 2, '計算と計算'],
        [4, 1, '価格の計算'],
      ]);
      expect(await scan('RAI')).toEqual([[1, 1, 'BRAID']]);
      expect(await codeOf(b.query.searchEvents({ sessionId: SessionId('a') }))).toBe('INVALID_QUERY');
    });

    it('Q20 overlays live sessions from memory, whatever is indexed of them', async () => {
      store('a', talk(['stored word']));
      expect(await sessionIds('word')).toEqual(['a']);
      const log = live(b, header('a')).startTurn().prompt('live thing');

      expect(await sessionIds('word')).toEqual([]);
      expect(await sessionIds('thing')).toEqual(['a']);
      log.context('live word');
      expect(await seqs('word')).toEqual([2]);
      b.sessions.detachAll();
      expect(await sessionIds('word')).toEqual(['a']);
      expect(await sessionIds('thing')).toEqual([]);
    });

    it('Q20 reads a stored log again only when it has grown, where storage can tell', async () => {
      const lengths = new Map([[SessionId('a'), 3]]);
      Object.assign(b.storage, { lengths: async () => lengths });
      store('a', talk(['first']));
      await sessionIds('first');
      b.storage.asked.splice(0);
      await sessionIds('first');
      expect(b.storage.asked).not.toContain('inspect');

      store('a', talk(['first'], ['second']));
      lengths.set(SessionId('a'), 6);
      expect(await sessionIds('second')).toEqual(['a']);
      expect(b.storage.asked).toContain('inspect');
      b.storage.sessions.clear();
      expect(await sessionIds('second')).toEqual([]);
      expect((await b.ctx.sessionSearchIndex.marks()).size).toBe(0);
    });

    it('Q20 lives in a file that may be deleted, and is filled anew', async () => {
      store('a', talk(['word']));
      await sessionIds('word');
      const other = join(folder, 'other.sqlite');
      const index = new SqliteSearchIndex(other);
      expect((await index.marks()).size).toBe(0);
      index.close();

      const old = new DatabaseSync(other);
      old.exec("pragma user_version = 99; insert into marks values ('x', '1')");
      old.close();
      const renewed = new SqliteSearchIndex(other);
      expect((await renewed.marks()).size).toBe(0);
      renewed.close();
    });

    it('Q20 refuses a file of somebody else before it changes anything', async () => {
      const canonical = join(folder, 'dsh.sqlite');
      const db = new DatabaseSync(canonical);
      db.exec('create table events (id integer); pragma user_version = 2; pragma journal_mode = delete');
      db.close();
      const text = join(folder, 'notes.txt');
      writeFileSync(text, 'not a database, but long enough to be taken for one'.repeat(20));
      for (const path of [canonical, text]) {
        const before = readFileSync(path);
        await expect((async () => new SqliteSearchIndex(path))()).rejects.toMatchObject({ code: 'FOREIGN_FORMAT' });
        expect(readFileSync(path).equals(before)).toBe(true);
      }
    });

    it('Q19 tells an index that fails from a corpus that does', async () => {
      store('a', talk(['word']));
      const broken = await queryBench();
      broken.storage.put(header('a'), talk(['word']));
      const index = new SqliteSearchIndex(join(folder, 'closed.sqlite'));
      index.close();
      broken.ctx.provide('sessionSearchIndex', index);
      expect(await codeOf(broken.query.searchSessions({ query: 'word' }))).toBe('INDEX_FAILED');
    });

    it('Q6 gives copies', async () => {
      store('a', talk(['word']), { cwd: '/x' });
      const { hits } = await b.query.searchSessions({ query: 'word' });
      (hits[0]!.session.header as { cwd: string }).cwd = '/y';
      expect((await b.query.listSessions())[0]!.header.cwd).toBe('/x');
    });
  });
});
