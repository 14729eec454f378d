import type { SessionId } from '../../harness/session/types.ts';
import { SessionQueryError } from './session-query-error.ts';
import type { SessionLineageNode, SessionLineageTrace, SessionRecord } from './types.ts';

/** Who a session comes from and who comes from it. Throws `SessionQueryError` for an unknown target and a loop above it. */
export function traceLineage(corpus: readonly SessionRecord[], id: SessionId): SessionLineageTrace {
  const byId = new Map(corpus.map((record) => [record.header.id, record]));
  const target = byId.get(id);
  if (!target) throw new SessionQueryError(`there is no session ${id}`, 'SESSION_QUERY_SESSION_NOT_FOUND');
  const ancestors = ancestorsOf(target, byId);
  const root = ancestors.at(-1) ?? target;
  const trace = { target: copyOf(target), ancestors: ancestors.map(copyOf), descendants: descendantsOf(id, corpus) };
  const { parentSession: unresolvedParentId } = root.header;
  return unresolvedParentId === undefined
    ? { ...trace, complete: true, root: copyOf(root) }
    : { ...trace, complete: false, unresolvedParentId };
}

function ancestorsOf(target: SessionRecord, byId: ReadonlyMap<SessionId, SessionRecord>): SessionRecord[] {
  const chain = new Set([target]);
  for (let parent = parentOf(target, byId); parent; parent = parentOf(parent, byId)) {
    if (chain.has(parent)) {
      const message = `session ${parent.header.id} is its own ancestor`;
      throw new SessionQueryError(message, 'SESSION_QUERY_INVALID_LINEAGE');
    }
    chain.add(parent);
  }
  return [...chain].slice(1);
}

function parentOf({ header }: SessionRecord, byId: ReadonlyMap<SessionId, SessionRecord>): SessionRecord | undefined {
  return header.parentSession === undefined ? undefined : byId.get(header.parentSession);
}

/** Without recursion: lineages may be thousands of generations deep. */
function descendantsOf(id: SessionId, corpus: readonly SessionRecord[]): SessionLineageNode[] {
  const children = Map.groupBy(corpus.toSorted(oldestFirst), ({ header }) => header.parentSession);
  const nodesOf = (parent: SessionId): SessionLineageNode[] =>
    (children.get(parent) ?? []).map((record) => ({ session: copyOf(record), descendants: [] }));
  const roots = nodesOf(id);
  const open = [...roots];
  for (let node = open.pop(); node; node = open.pop()) {
    for (const child of nodesOf(node.session.header.id)) {
      node.descendants.push(child);
      open.push(child);
    }
  }
  return roots;
}

function oldestFirst({ header: a }: SessionRecord, { header: b }: SessionRecord): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

function copyOf(record: SessionRecord): SessionRecord {
  return { ...record, header: { ...record.header } };
}
