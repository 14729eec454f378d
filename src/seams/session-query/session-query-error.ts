import { HarnessError } from '../../harness/llm/errors.ts';

export type SessionQueryErrorCode =
  | 'SESSION_QUERY_SESSION_NOT_FOUND'
  | 'SESSION_QUERY_EVENT_NOT_FOUND'
  | 'SESSION_QUERY_INVALID_WINDOW'
  | 'SESSION_QUERY_INVALID_CONFIG'
  | 'SESSION_QUERY_INVALID_SURFACE'
  | 'SESSION_QUERY_INVALID_LINEAGE'
  | 'SESSION_QUERY_PERSISTENCE_FAILED'
  | 'SESSION_QUERY_SOURCE_CONFLICT';

export class SessionQueryError extends HarnessError {
  declare readonly code: SessionQueryErrorCode;

  constructor(message: string, code: SessionQueryErrorCode, options?: { cause?: unknown }) {
    super(message, code, options);
    this.name = 'SessionQueryError';
  }
}
