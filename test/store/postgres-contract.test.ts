import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { startCluster } from './postgres-cluster.ts';
import type { Cluster } from './postgres-cluster.ts';
import { postgresStorage } from './postgres-storage.ts';
import { runCoordinatorContract } from './run-coordinator-contract.ts';
import { runLeaseContract } from './run-lease-contract.ts';
import { runPersistenceContract } from './run-persistence-contract.ts';
import { runRecordsContract } from './run-records-contract.ts';
import { runRowsContract } from './run-rows-contract.ts';
import { runSearchContract } from './run-search-contract.ts';

const cluster: Cluster | undefined = await startCluster();
let url: string;
beforeAll(async () => void (url = (await cluster?.createDatabase()) ?? ''));
afterAll(() => cluster?.stop());

if (cluster) {
  const storage = postgresStorage(() => url);
  runPersistenceContract('postgres', storage);
  runCoordinatorContract('postgres', storage);
  runRowsContract('postgres', storage);
  runRecordsContract('postgres', storage);
  runLeaseContract('postgres', storage);
  runSearchContract('postgres', storage);
} else {
  describe('persistence', () => it.skip('PostgreSQL is not installed here', () => {}));
}
