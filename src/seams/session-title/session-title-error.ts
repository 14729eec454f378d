import { HarnessError } from '../../harness/llm/errors.ts';

export const SESSION_TITLE_TIMEOUT_CODE = 'SESSION_TITLE_TIMEOUT';

export type SessionTitleErrorCode =
  | 'SESSION_TITLE_INVALID_CONFIG'
  | 'SESSION_TITLE_INVALID_PROVIDER'
  | 'SESSION_TITLE_PROVIDER_EXISTS'
  | 'SESSION_TITLE_NOT_LIVE'
  | 'SESSION_TITLE_EMPTY'
  | 'SESSION_TITLE_INVALID_RESULT'
  | 'SESSION_TITLE_SUPERSEDED'
  | 'SESSION_TITLE_NO_ROUTE'
  | 'SESSION_TITLE_INPUT_TOO_LONG'
  | 'SESSION_TITLE_NO_TEXT'
  | typeof SESSION_TITLE_TIMEOUT_CODE;

export class SessionTitleError extends HarnessError {
  declare readonly code: SessionTitleErrorCode;

  constructor(message: string, code: SessionTitleErrorCode, options?: { cause?: unknown }) {
    super(message, code, options);
    this.name = 'SessionTitleError';
  }
}
