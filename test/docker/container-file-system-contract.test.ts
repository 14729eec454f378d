import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { runFileSystemContract } from '../seams/filesystem/run-file-system-contract.ts';
import { giveTo, openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

let bench: SandboxBench;
let count = 0;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

runFileSystemContract(
  'in a container',
  async () => {
    const name = `case-${++count}`;
    const folder = join(bench.tree, name);
    const own = () => giveTo(bench.sandbox.uid, folder);
    await mkdir(folder);
    await own();
    return {
      fs: bench.fs,
      root: `/workspace/${name}`,
      async put(path, content) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), content);
        await own();
      },
      peek: (path) => readFile(join(folder, path), 'utf8').catch(() => undefined),
      async link(path, target) {
        await symlink(target, join(folder, path));
        await own();
      },
      remove: (path) => rm(join(folder, path)),
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
  { encodings: true },
);
