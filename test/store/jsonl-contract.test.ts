import { jsonlStorage } from './jsonl-storage.ts';
import { runCoordinatorContract } from './run-coordinator-contract.ts';
import { runPersistenceContract } from './run-persistence-contract.ts';
import { runSearchContract } from './run-search-contract.ts';

runPersistenceContract('jsonl', jsonlStorage({ compression: 'none' }));
runPersistenceContract('jsonl.zstd', jsonlStorage());
runPersistenceContract('jsonl with packed chunks', jsonlStorage({ compression: 'none', packChunks: true }));
runPersistenceContract('jsonl.zstd with packed chunks', jsonlStorage({ packChunks: true }));
runCoordinatorContract('jsonl', jsonlStorage({ compression: 'none' }));
runCoordinatorContract('jsonl.zstd', jsonlStorage());
runSearchContract('jsonl.zstd', jsonlStorage());
