import type { FileErrorCode } from './protocol.ts';

export class FileOperationError extends Error {
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  static from(cause: unknown): FileOperationError {
    if (cause instanceof FileOperationError) return cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    return new FileOperationError(CODES[code ?? ''] ?? 'FS_IO_ERROR', message);
  }
}

/** A read-only file system is the sandbox at work, a missing right is not. */
const CODES: Record<string, FileErrorCode> = {
  ENOENT: 'FS_NOT_FOUND',
  ENAMETOOLONG: 'FS_NOT_FOUND',
  ELOOP: 'FS_NOT_FOUND',
  ERR_INVALID_ARG_VALUE: 'FS_NOT_FOUND',
  ENOTDIR: 'FS_NOT_DIRECTORY',
  EISDIR: 'FS_NOT_REGULAR_FILE',
  ENXIO: 'FS_NOT_REGULAR_FILE',
  EACCES: 'FS_PERMISSION_DENIED',
  EPERM: 'FS_PERMISSION_DENIED',
  EROFS: 'FS_SANDBOX_DENIED',
};
