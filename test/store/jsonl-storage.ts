import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JsonlBackend } from '../../src/store/jsonl/jsonl-backend.ts';
import type { JsonlConfig } from '../../src/store/jsonl/jsonl-backend.ts';
import { writeLines } from '../../src/store/jsonl/log-lines.ts';
import type { ContractStorage, MakeStorage } from './contract-storage.ts';

export interface JsonlStorage extends ContractStorage {
  readonly root: string;
  open(): JsonlBackend;
}

export function jsonlStorage(config: Omit<JsonlConfig, 'root'> = {}): () => Promise<JsonlStorage> {
  return (async () => {
    const root = await mkdtemp(join(tmpdir(), 'dsh-jsonl-'));
    const open = () => new JsonlBackend({ root, ...config });
    return {
      root,
      open,
      tear: (meta) => appendFile(open().locate(meta).path, halfALine(config.compression ?? 'zstd')),
      dispose: () => rm(root, { recursive: true, force: true }),
    };
  }) satisfies MakeStorage;
}

function halfALine(compression: 'zstd' | 'none'): Buffer {
  const whole = writeLines(['{"type":"todo/write","seq":99,"time":1,"data":{"todos":[]}}'], compression);
  return whole.subarray(0, whole.length - 20);
}
