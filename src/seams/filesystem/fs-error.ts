import { HarnessError } from '../../harness/llm/errors.ts';

export type FsErrorCode =
  | 'FS_NOT_FOUND'
  | 'FS_NOT_DIRECTORY'
  | 'FS_NOT_TEXT'
  | 'FS_NOT_REGULAR_FILE'
  | 'FS_PERMISSION_DENIED'
  | 'FS_SANDBOX_DENIED'
  | 'FS_IO_ERROR'
  | 'FS_STALE_VERSION'
  | 'FS_NOT_OBSERVED'
  | 'FS_AMBIGUOUS_EDIT'
  | 'FS_EDIT_NOT_FOUND'
  | 'FS_ABORTED';

/** A file operation that did not happen. Route on `code`; the text of providers may be replaced by a tool's own. */
export class FsError extends HarnessError {
  declare readonly code: FsErrorCode;

  constructor(message: string, code: FsErrorCode, options?: ErrorOptions) {
    super(message, code, options);
    this.name = 'FsError';
  }
}

export function isFsError(error: unknown, code?: FsErrorCode): error is FsError {
  return error instanceof FsError && (code === undefined || error.code === code);
}
