import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { startCluster } from './postgres-cluster.ts';
import type { Cluster } from './postgres-cluster.ts';
import { postgresStorage } from './postgres-storage.ts';
import { runCoordinatorContract } from './run-coordinator-contract.ts';
import { runPersistenceContract } from './run-persistence-contract.ts';

const cluster: Cluster | undefined = await startCluster();
let url: string;
beforeAll(async () => void (url = (await cluster?.createDatabase()) ?? ''));
afterAll(() => cluster?.stop());

if (cluster) {
  runPersistenceContract('postgres', postgresStorage(() => url));
  runCoordinatorContract('postgres', postgresStorage(() => url));
} else {
  describe('persistence', () => it.skip('PostgreSQL is not installed here', () => {}));
}
