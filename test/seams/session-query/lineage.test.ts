import { beforeEach, describe, expect, it } from '@jest/globals';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionLineageNode } from '../../../src/seams/session-query/types.ts';
import { codeOfRejection } from '../../store/contract-storage.ts';
import { header, live, queryBench } from './query-bench.ts';
import type { QueryBench } from './query-bench.ts';

describe('session-query', () => {
  let bench: QueryBench;
  beforeEach(async () => {
    bench = await queryBench();
  });

  const trace = (id: string) => bench.query.traceSession(SessionId(id));
  function put(id: string, parent?: string, createdAt = 1): void {
    bench.storage.put(header(id, { createdAt, ...(parent !== undefined && { parentSession: SessionId(parent) }) }));
  }
  const idOf = ({ header }: { header: { id: string } }) => header.id;
  const tree = (nodes: SessionLineageNode[]): object[] =>
    nodes.map(({ session, descendants }) => [idOf(session), tree(descendants)]);

  it('Q13 ancestors from the nearest outward, up to the root, across both sources', async () => {
    put('root');
    live(bench, header('mid', { parentSession: SessionId('root') }));
    put('leaf', 'mid');

    const found = await trace('leaf');

    expect(found.ancestors.map(idOf)).toEqual(['mid', 'root']);
    expect(found).toMatchObject({ complete: true, root: { header: { id: 'root' } }, target: { persisted: true } });
    expect(await trace('root')).toMatchObject({ complete: true, ancestors: [], root: { header: { id: 'root' } } });
  });

  it('Q13 a parent that is not there makes the lineage incomplete, which is no error', async () => {
    put('mid', 'gone');
    put('leaf', 'mid');

    expect(await trace('leaf')).toMatchObject({
      complete: false,
      unresolvedParentId: 'gone',
      ancestors: [{ header: { id: 'mid' } }],
    });
    expect(await trace('leaf')).not.toHaveProperty('root');
    expect(await codeOfRejection(trace('gone'))).toBe('SESSION_QUERY_SESSION_NOT_FOUND');
  });

  it('Q13 a loop fails only those that hang on it', async () => {
    put('a', 'b');
    put('b', 'a');
    put('hangs', 'a');
    put('self', 'self');
    put('fine');

    for (const id of ['a', 'b', 'hangs', 'self']) {
      expect(await codeOfRejection(trace(id))).toBe('SESSION_QUERY_INVALID_LINEAGE');
    }
    expect(await trace('fine')).toMatchObject({ complete: true, descendants: [] });
  });

  it('Q14 children stand by time, then by id', async () => {
    put('root');
    put('late', 'root', 9);
    put('b', 'root', 5);
    put('a', 'root', 5);
    put('grandchild', 'b', 7);
    put('stranger');

    expect(tree((await trace('root')).descendants)).toEqual([
      ['a', []],
      ['b', [['grandchild', []]]],
      ['late', []],
    ]);
  });

  it('Q14 ten thousand generations do not overflow the stack', async () => {
    put('0');
    for (let i = 1; i <= 10_000; i++) put(String(i), String(i - 1));

    const down = await trace('0');
    let depth = 0;
    for (let node = down.descendants[0]; node; node = node.descendants[0]) depth += 1;

    expect(depth).toBe(10_000);
    expect((await trace('10000')).ancestors).toHaveLength(10_000);
  });
});
