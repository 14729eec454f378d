import { HarnessError } from '../harness/llm/errors.ts';

export type PersistenceErrorCode =
  /** Nothing is stored under this id. */
  | 'SESSION_NOT_STORED'
  /** The id is taken, by a live session or in storage. */
  | 'SESSION_ID_TAKEN'
  /** A live session of this process writes the log. */
  | 'SESSION_IS_LIVE'
  /** The batch does not follow what is stored. */
  | 'SEQ_MISMATCH'
  /** What is stored is damaged in a place a crash cannot explain. */
  | 'CORRUPT_SESSION'
  /** Written by another version of the format. */
  | 'FOREIGN_FORMAT'
  /** Another one holds the lease of the session now: nothing more may be written. */
  | 'STALE_LEASE'
  /** The root holds files of another encoding. */
  | 'MIXED_ENCODINGS';

export class PersistenceError extends HarnessError {
  declare readonly code: PersistenceErrorCode;

  constructor(message: string, code: PersistenceErrorCode, options?: { cause?: unknown }) {
    super(message, code, options);
    this.name = 'PersistenceError';
  }
}
