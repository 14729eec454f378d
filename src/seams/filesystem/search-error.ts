import { HarnessError } from '../../harness/llm/errors.ts';

export type SearchErrorCode =
  'SEARCH_INVALID_PATTERN' | 'SEARCH_FAILED' | 'SEARCH_RAW_OUTPUT_OVERFLOW' | 'SEARCH_ABORTED';

/** A search without a result that can be trusted; partial output is never shown as one. */
export class SearchError extends HarnessError {
  declare readonly code: SearchErrorCode;

  constructor(message: string, code: SearchErrorCode, options?: ErrorOptions) {
    super(message, code, options);
    this.name = 'SearchError';
  }
}
