import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Context } from '../../src/harness/kernel/context.ts';
import { sessionStore } from '../../src/harness/session/session-store.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import { sessionQuery } from '../../src/seams/session-query/session-query.ts';
import { sqliteSearchIndex } from '../../src/store/search/sqlite-search-index.ts';
import { LogWriter } from '../harness/session/session-fixture.ts';
import { headerOf, persistenceOf } from './contract-storage.ts';
import type { ContractStorage, MakeStorage } from './contract-storage.ts';

/** Search over whatever stores the sessions. */
export function runSearchContract(name: string, makeStorage: MakeStorage): void {
  describe('session-query', () => {
    describe(`search over ${name}`, () => {
      let storage: ContractStorage;
      let ctx: Context;
      beforeEach(async () => {
        storage = await makeStorage();
        ctx = new Context();
        await ctx.plugin(sessionStore);
        ctx.provide('persistence', persistenceOf(storage.open()));
        await ctx.plugin(sessionQuery, {});
        await ctx.plugin(sqliteSearchIndex, { path: ':memory:' });
      });
      afterEach(async () => {
        await ctx.fiber.dispose();
        await storage.dispose();
      });

      const store = async (id: string, ...said: string[]) => {
        const backend = storage.open();
        const log = new LogWriter();
        for (const prompt of said) log.startTurn().prompt(prompt).endTurn();
        await persistenceOf(backend).create(headerOf(id));
        await backend.appendBatch(headerOf(id), log.session.events, false);
        return {
          goOn: async (prompt: string) => {
            const before = log.session.seq;
            log.startTurn().prompt(prompt).endTurn();
            await backend.appendBatch(headerOf(id), log.session.events.slice(before), true);
          },
        };
      };
      const found = async (query: string) =>
        (await ctx.sessionQuery.searchSessions({ query })).hits.map(({ session, matches }) => [
          session.header.id,
          matches,
        ]);

      it('Q17 Q20 finds what another process stored, and what it stores later', async () => {
        const a = await store('a', 'the total');
        await store('b', 'nothing of the kind');
        expect(await found('the total')).toEqual([['a', 1]]);
        await a.goOn('again the total');
        expect(await found('the total')).toEqual([['a', 2]]);
        expect(await found('kind')).toEqual([['b', 1]]);
      });

      it('Q20 writes nothing into the store, and mends nothing in it', async () => {
        const meta = headerOf('open');
        const log = new LogWriter().startTurn().prompt('the total');
        await storage.open().appendBatch(meta, log.session.events, false);
        expect(await found('total')).toEqual([['open', 1]]);
        expect((await persistenceOf(storage.open()).inspect(SessionId('open'))).events).toHaveLength(2);
      });
    });
  });
}
