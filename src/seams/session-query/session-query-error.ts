import { HarnessError } from '../../harness/llm/errors.ts';

export type SessionQueryErrorCode =
  | 'SESSION_QUERY_SESSION_NOT_FOUND'
  | 'SESSION_QUERY_EVENT_NOT_FOUND'
  | 'SESSION_QUERY_INVALID_WINDOW'
  | 'SESSION_QUERY_INVALID_CONFIG'
  | 'SESSION_QUERY_INVALID_SURFACE'
  | 'SESSION_QUERY_INVALID_LINEAGE'
  | 'SESSION_QUERY_PERSISTENCE_FAILED'
  | 'SESSION_QUERY_SOURCE_CONFLICT'
  | 'SESSION_QUERY_INVALID_QUERY'
  | 'SESSION_QUERY_INVALID_FILTER'
  | 'SESSION_QUERY_INVALID_LIMIT'
  | 'SESSION_QUERY_INVALID_CURSOR'
  | 'SESSION_QUERY_STALE_CURSOR'
  | 'SESSION_QUERY_SEARCH_DISABLED'
  | 'SESSION_QUERY_INDEX_FAILED'
  | 'SESSION_QUERY_CORRUPT_SESSION'
  | 'SESSION_QUERY_ABORTED';

export class SessionQueryError extends HarnessError {
  declare readonly code: SessionQueryErrorCode;

  constructor(message: string, code: SessionQueryErrorCode, options?: { cause?: unknown }) {
    super(message, code, options);
    this.name = 'SessionQueryError';
  }
}
