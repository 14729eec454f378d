import { HarnessError } from '../../harness/llm/errors.ts';

export type UserInteractionCode =
  | 'ASK_ABORTED'
  | 'EMPTY_QUESTIONS'
  | 'NO_PROVIDER'
  | 'DUPLICATE_PROVIDER'
  | 'NO_AGENT'
  | 'NO_SESSION'
  | 'ASK_CANCELLED'
  | 'ASK_FAILED'
  | 'NO_ANSWER'
  | 'ASK_TIMEOUT'
  | 'CALLER_NOT_LIVE'
  | 'DELEGATED_CALLER'
  | 'DUPLICATE_QUESTION_ID'
  | 'DUPLICATE_OPTION'
  | 'INVALID_ANSWER'
  | 'ASK_PARKED';

/** Why a question got no answer. */
export class UserInteractionError extends HarnessError {
  declare readonly code: UserInteractionCode;

  constructor(message: string, code: UserInteractionCode, options?: ErrorOptions) {
    super(message, code, options);
    this.name = 'UserInteractionError';
  }
}
