import { editTool } from '../../../src/seams/filesystem/edit-tool.ts';
import { readBeforeWrite } from '../../../src/seams/filesystem/read-before-write.ts';
import { readTool } from '../../../src/seams/filesystem/read-tool.ts';
import { writeTool } from '../../../src/seams/filesystem/write-tool.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { createToolBench } from '../tool-bench.ts';

/** The file tools over a store in memory; `guarded` mounts read-before-write. */
export async function fileBench(files: Record<string, string>, { guarded = true } = {}) {
  const bench = await createToolBench();
  const fs = new MemoryFileSystem(files);
  bench.ctx.provide('fs', fs);
  for (const plugin of [readTool, writeTool, editTool]) await bench.ctx.plugin(plugin);
  if (guarded) await bench.ctx.plugin(readBeforeWrite);
  return { bench, fs, ctx: bench.ctx };
}
