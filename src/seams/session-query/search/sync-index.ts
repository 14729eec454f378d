import { isHarnessError } from '../../../harness/llm/errors.ts';
import type { SessionId } from '../../../harness/session/types.ts';
import type { Corpus } from '../corpus.ts';
import { SessionQueryError } from '../session-query-error.ts';
import type { SessionRecord } from '../types.ts';
import { searchDocuments } from './search-documents.ts';
import type { SearchDocument, SessionSearchIndex } from './search-index.ts';

export interface SyncedCorpus {
  /** What each session in the search looks like now, as one text. */
  readonly marks: ReadonlyMap<SessionId, string>;
  readonly overlay: ReadonlyMap<SessionId, readonly SearchDocument[]>;
  readonly unreadable: readonly SessionId[];
}

/** Brings the index up to what is stored of `wanted`; live sessions are overlaid from memory. */
export async function syncIndex(
  corpus: Corpus,
  index: SessionSearchIndex,
  {
    all,
    wanted,
    signal,
  }: { all: readonly SessionRecord[]; wanted: readonly SessionRecord[]; signal: AbortSignal | undefined },
): Promise<SyncedCorpus> {
  const known = await index.marks();
  const lengths = await corpus.lengths();
  const marks = new Map<SessionId, string>();
  const overlay = new Map<SessionId, readonly SearchDocument[]>();
  const unreadable: SessionId[] = [];
  const existing = new Set(all.map(({ header }) => header.id));
  await index.drop([...known.keys()].filter((id) => !existing.has(id)));
  for (const { header, live } of wanted) {
    const { id } = header;
    assertWanted(signal);
    const length = lengths?.get(id);
    if (!live && length !== undefined && known.get(id) === markOf(length)) {
      marks.set(id, markOf(length));
      continue;
    }
    const log = await readable(() => corpus.read(id));
    const documents = log && (await readable(async () => searchDocuments(log.events)));
    if (!documents) {
      unreadable.push(id);
      continue;
    }
    const mark = markOf(live ? log.events.length : (length ?? log.events.length));
    if (live) overlay.set(id, documents);
    else if (known.get(id) !== mark) await index.put(id, mark, documents);
    marks.set(id, mark);
  }
  return { marks, overlay, unreadable };
}

/** Logs only grow, but for what a crash left half written. */
function markOf(length: number): string {
  return String(length);
}

/** Undefined for a log that cannot be read as one; that storage as a whole fails is another matter. */
async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isBrokenLog(error)) return undefined;
    throw error;
  }
}

function isBrokenLog(error: unknown): boolean {
  if (!(isHarnessError(error) && error.code.startsWith('SESSION_QUERY_'))) return false;
  if (error.code === 'SESSION_QUERY_INVALID_SURFACE') return true;
  const { cause } = error;
  return error.code === 'SESSION_QUERY_PERSISTENCE_FAILED' && isHarnessError(cause) && BROKEN.has(cause.code);
}

const BROKEN: ReadonlySet<string> = new Set([
  'CORRUPT_SESSION',
  'FOREIGN_FORMAT',
  'INVALID_EVENT',
  'INVALID_HEADER',
  'NOT_ENCLOSED',
]);

export function assertWanted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new SessionQueryError('the search was aborted', 'SESSION_QUERY_ABORTED', { cause: signal.reason });
}
