import type { Records } from '../records.ts';
import { causesIn } from './causes.ts';
import { humanRequestsIn } from './human-requests.ts';
import { inboxIn } from './inbox.ts';
import type { RecordDatabase } from './record-database.ts';
import { sessionSettingsIn } from './session-settings.ts';
import { snapshotsIn } from './snapshots.ts';
import { spendingIn } from './spending.ts';
import { subjectsIn } from './subjects.ts';

/** All that is kept beside the session logs, in their database. `now` in epoch milliseconds. */
export function openRecords(database: RecordDatabase, now: () => number): Records {
  return {
    inbox: inboxIn(database, now),
    causes: causesIn(database, now),
    requests: humanRequestsIn(database),
    snapshots: snapshotsIn(database),
    subjects: subjectsIn(database),
    settings: sessionSettingsIn(database),
    spending: spendingIn(database),
    under: (lease) => openRecords(database.under(lease), now),
  };
}
