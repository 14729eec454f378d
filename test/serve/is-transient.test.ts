import { describe, expect, it } from '@jest/globals';
import { handedBack } from '../../src/bot/job/handed-back.ts';
import { DshError } from '../../src/errors.ts';
import { isTransient } from '../../src/serve/is-transient.ts';

const withCode = (code: string) => Object.assign(new Error(code), { code });
const withStatus = (status: number) => Object.assign(new Error(String(status)), { status });

describe('bot-hosts', () => {
  it.each([
    ['GitHub fails', withStatus(502)],
    ['GitHub is asked too often', withStatus(429)],
    ['a connection breaks', new TypeError('fetch failed', { cause: withCode('ECONNRESET') })],
    ['PostgreSQL is restarted', withCode('57P01')],
    ['PostgreSQL ends a statement at its time limit', withCode('57014')],
    ['PostgreSQL cannot read its disk', withCode('58030')],
    ['PostgreSQL writes nothing after a failover', withCode('25006')],
    ['PostgreSQL waits too long for a lock', withCode('55P03')],
    [
      'PostgreSQL was left by its connection',
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['PostgreSQL is away', new DshError('away', 'DATABASE_UNAVAILABLE', 'Start it.')],
    ['the connection to it ended', new Error('Connection terminated unexpectedly')],
    ['the disk is full', withCode('ERR_SQLITE_ERROR')],
    ['the data directory cannot be written', withCode('EROFS')],
    ['the disk is broken', withCode('EIO')],
    ['the quota of the disk is used up', withCode('EDQUOT')],
    ['too many files are open', withCode('EMFILE')],
    ['the lease is lost', withCode('STALE_LEASE')],
    ['another process works the session', withCode('SESSION_BUSY')],
    ['the work is handed back', handedBack('it')],
  ])('H2 is tried again: %s', (_name, error) => {
    expect(isTransient(error)).toBe(true);
  });

  it.each([
    ['GitHub says no', withStatus(404)],
    ['a person must mend it', new DshError('no', 'CONFIG_INVALID', 'Mend it.')],
    ['it is a bug', new TypeError('undefined is not a function')],
    ['nothing is known', undefined],
  ])('H2 is not tried again: %s', (_name, error) => {
    expect(isTransient(error)).toBe(false);
  });
});
