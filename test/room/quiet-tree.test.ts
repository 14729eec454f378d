import { describe, expect, it } from '@jest/globals';
import { END_PROCESSES } from '../../src/bot/fix/verify/end-processes.ts';
import type { Agent } from '../../src/harness/agent/types.ts';
import type { Context } from '../../src/harness/kernel/context.ts';
import { quietTree } from '../../src/room/quiet-tree.ts';
import { MemoryBash } from '../support/memory-bash.ts';

const agent = { session: {} } as Agent;
const { signal } = new AbortController();

/** Ends processes as many times as there are exit codes. */
function bench(...exitCodes: number[]) {
  let running = 0;
  const overlaps: number[] = [];
  const bash = new MemoryBash(
    { [END_PROCESSES]: () => ({ exitCode: exitCodes.shift()! }) },
    { mode: 'workspace-write' },
  );
  const run = bash.run.bind(bash);
  bash.run = async (spec) => {
    overlaps.push(running++);
    await new Promise(setImmediate);
    return run(spec).finally(() => running--);
  };
  const sandboxPolicy = { resolve: () => ({ mode: 'workspace-write', workspaceRoot: '/workspace' }) };
  return { overlaps, quiet: quietTree({ bash, sandboxPolicy } as unknown as Context) };
}

describe('subagent', () => {
  it('N2 processes are ended for one child after the other, since each ends those of the others', async () => {
    const { quiet, overlaps } = bench(0, 0, 0);

    await Promise.all([quiet(agent, signal), quiet(agent, signal), quiet(agent, signal)]);

    expect(overlaps).toEqual([0, 0, 0]);
  });

  it('N2 where they survive nothing is copied or written, and the next child tries again', async () => {
    const { quiet, overlaps } = bench(1, 0);
    const [one, gone, two] = [
      quiet(agent, signal),
      quiet(agent, AbortSignal.abort(new Error('stopped'))),
      quiet(agent, signal),
    ];

    await expect(one).rejects.toMatchObject({ code: 'PROCESSES_SURVIVED' });
    await expect(gone).rejects.toThrow('stopped');
    await two;
    expect(overlaps).toEqual([0, 0]);
  });
});
