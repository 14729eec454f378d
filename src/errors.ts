import { HarnessError } from './harness/llm/errors.ts';

/** An error a person can mend: `message` says what and why, `hint` what to do about it. */
export class DshError extends HarnessError {
  readonly hint: string;

  constructor(message: string, code: string, hint: string, options?: ErrorOptions) {
    super(message, code, options);
    this.name = 'DshError';
    this.hint = hint;
  }
}
