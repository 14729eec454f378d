import { HarnessError } from '../../harness/llm/errors.ts';

export type SessionReferenceErrorCode =
  | 'SESSION_REFERENCE_INVALID_CONFIG'
  | 'SESSION_REFERENCE_INVALID_REFERENCE'
  | 'SESSION_REFERENCE_SELF_REFERENCE'
  | 'SESSION_REFERENCE_TOO_MANY'
  | 'SESSION_REFERENCE_READ_FAILED'
  | 'SESSION_REFERENCE_BUDGET_EXCEEDED'
  | 'SESSION_REFERENCE_CANCELLED';

export class SessionReferenceError extends HarnessError {
  declare readonly code: SessionReferenceErrorCode;

  constructor(message: string, code: SessionReferenceErrorCode, options?: { cause?: unknown }) {
    super(message, code, options);
    this.name = 'SessionReferenceError';
  }
}
