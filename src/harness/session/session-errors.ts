import { HarnessError } from '../llm/errors.ts';

export type SessionLogErrorCode =
  | 'INVALID_EVENT'
  | 'INVALID_HEADER'
  | 'INVALID_SURFACE'
  | 'NOT_ENCLOSED'
  | 'REENTRANT_APPEND'
  | 'SESSION_ALREADY_EXISTS'
  | 'SESSION_NOT_LIVE'
  | 'OVERLAPPING_APPEND';

/** An event or a call the session log cannot take. Nothing was written. */
export class SessionLogError extends HarnessError {
  declare readonly code: SessionLogErrorCode;

  constructor(message: string, code: SessionLogErrorCode, options?: { cause?: unknown }) {
    super(message, code, options);
    this.name = 'SessionLogError';
  }
}

export type SessionForkErrorCode =
  'SESSION_NOT_FOUND' | 'SESSION_NOT_LIVE' | 'SESSION_ALREADY_EXISTS' | 'INVALID_BOUNDARY' | 'OPEN_TURN';

/** Why a session could not be forked. */
export class SessionForkError extends HarnessError {
  declare readonly code: SessionForkErrorCode;

  constructor(message: string, code: SessionForkErrorCode) {
    super(message, code);
    this.name = 'SessionForkError';
  }
}
