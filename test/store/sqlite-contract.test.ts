import { runCoordinatorContract } from './run-coordinator-contract.ts';
import { runLeaseContract } from './run-lease-contract.ts';
import { runPersistenceContract } from './run-persistence-contract.ts';
import { runRecordsContract } from './run-records-contract.ts';
import { runRowsContract } from './run-rows-contract.ts';
import { runSearchContract } from './run-search-contract.ts';
import { sqliteStorage } from './sqlite-storage.ts';

runPersistenceContract('sqlite', sqliteStorage());
runPersistenceContract('sqlite without a write-ahead log', sqliteStorage({ journalMode: 'delete' }));
runCoordinatorContract('sqlite', sqliteStorage());
runRowsContract('sqlite', sqliteStorage());
runRecordsContract('sqlite', sqliteStorage());
runLeaseContract('sqlite', sqliteStorage());
runSearchContract('sqlite', sqliteStorage());
