import type { DatabaseSync } from 'node:sqlite';
import type { Plugin } from '../../harness/kernel/context.ts';
import type { SessionId } from '../../harness/session/types.ts';
import type {
  IndexMatch,
  IndexQuery,
  SearchDocument,
  SessionSearchIndex,
} from '../../seams/session-query/search/search-index.ts';
import { searchSnippet } from '../../seams/session-query/search/search-snippet.ts';
import { inTransaction } from '../sqlite/in-transaction.ts';
import { openSearchFile } from './open-search-file.ts';
import { literalsOf, phraseExpression, searchStatement } from './search-sql.ts';

type Row = Omit<IndexMatch, 'snippet'> & { readonly session_id: SessionId; readonly id: number; readonly live: 0 | 1 };

/** SQLite's full-text tables in a file of their own, beside whatever stores the sessions. */
export class SqliteSearchIndex implements SessionSearchIndex {
  readonly #db: DatabaseSync;

  /** Throws `PersistenceError` `FOREIGN_FORMAT`. */
  constructor(path: string) {
    this.#db = openSearchFile(path);
  }

  async marks(): Promise<ReadonlyMap<SessionId, string>> {
    const rows = this.#db.prepare('select session_id as id, mark from marks').all();
    return new Map((rows as unknown as { id: SessionId; mark: string }[]).map(({ id, mark }) => [id, mark]));
  }

  async put(session: SessionId, mark: string, documents: readonly SearchDocument[]): Promise<void> {
    inTransaction(this.#db, () => {
      this.#delete(session);
      this.#insert(session, documents, { words: 'words', documents: 'documents' });
      this.#db.prepare('insert into marks (session_id, mark) values (?, ?)').run(session, mark);
    });
  }

  async drop(sessions: readonly SessionId[]): Promise<void> {
    if (sessions.length === 0) return;
    inTransaction(this.#db, () => sessions.forEach((session) => this.#delete(session)));
  }

  /** One state of the index, whatever others write meanwhile. */
  async search(query: IndexQuery): Promise<IndexMatch[]> {
    this.#db.exec('begin');
    try {
      for (const [session, documents] of query.overlay) {
        this.#insert(session, documents, { words: 'temp.live_words', documents: 'temp.live_documents' });
      }
      const { sql, values } = searchStatement(query);
      const rows = this.#db.prepare(sql).all(...values) as unknown as Row[];
      return rows.map((row) => this.#matchOf(row, query));
    } finally {
      if (this.#db.isTransaction) this.#db.exec('rollback');
    }
  }

  close(): void {
    this.#db.close();
  }

  #delete(session: SessionId): void {
    this.#db.prepare('delete from words where rowid in (select id from documents where session_id = ?)').run(session);
    this.#db.prepare('delete from documents where session_id = ?').run(session);
    this.#db.prepare('delete from marks where session_id = ?').run(session);
  }

  #insert(
    session: SessionId,
    documents: readonly SearchDocument[],
    tables: { words: string; documents: string },
  ): void {
    const addDocument = this.#db.prepare(
      `insert into ${tables.documents} (session_id, seq, type, time, surface) values (?, ?, ?, ?, ?)`,
    );
    const addWords = this.#db.prepare(`insert into ${tables.words} (rowid, text) values (?, ?)`);
    for (const { seq, type, time, surface, text } of documents) {
      addWords.run(addDocument.run(session, seq, type, time, surface).lastInsertRowid, text);
    }
  }

  #matchOf({ session_id, seq, type, time, surface, spans, matches, id, live }: Row, query: IndexQuery): IndexMatch {
    const snippet = this.#snippetOf(live === 1 ? 'live_words' : 'words', id, query);
    return { sessionId: session_id, seq, type, time, surface, spans, matches, snippet };
  }

  /** A number would be bound as a float, to which full-text tables compare no row id. */
  #snippetOf(words: string, id: number, query: IndexQuery): string {
    if (query.phrase === undefined) return this.#literalSnippet(words, BigInt(id), literalsOf(query));
    const sql = `select highlight(${words}, 0, char(1), char(2)) as text from ${words} where ${words} match ? and rowid = ?`;
    const { text } = this.#db.prepare(sql).get(phraseExpression(query.phrase), BigInt(id)) as { text: string };
    const start = text.indexOf('\u0001');
    const end = text.indexOf('\u0002') - 1;
    return searchSnippet(text.replaceAll(/[\u0001\u0002]/g, ''), start, end);
  }

  #literalSnippet(words: string, id: bigint, literals: readonly string[]): string {
    const { text } = this.#db.prepare(`select text from ${words} where rowid = ?`).get(id) as { text: string };
    const found = literals.find((literal) => text.includes(literal)) ?? '';
    const start = text.indexOf(found);
    return searchSnippet(text, start, start + found.length);
  }
}

/** Provides `ctx.sessionSearchIndex`: an index in a file that may be deleted at any time. */
export const sqliteSearchIndex: Plugin<{ readonly path: string }> = {
  name: 'sqlite-search-index',
  apply: (ctx, { path }) => {
    const index = new SqliteSearchIndex(path);
    ctx.effect(() => () => index.close(), `search index ${path}`);
    ctx.provide('sessionSearchIndex', index);
  },
};
