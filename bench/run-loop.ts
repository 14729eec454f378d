import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnv } from './benchmark.ts';

export interface LoopRun {
  /** Milliseconds between the end of an answer and the next request. */
  readonly gaps: readonly number[];
  readonly cpuMs: number;
  /** At its peak. */
  readonly rssMb: number;
  /** Milliseconds from the start of the process to its first request. */
  readonly coldStartMs: number;
}

export interface LoopOptions {
  /** Model answers that call a tool, over all turns. */
  readonly steps: number;
  /** Turns at once. */
  readonly concurrent?: number;
}

/** Runs a script of this folder, or a bundle of one, in a process of its own against a timed model. */
export async function runLoop(file: string, { steps, concurrent = 1 }: LoopOptions): Promise<LoopRun> {
  const model = spawn(process.execPath, [join(import.meta.dirname, 'timed-model.ts'), String(steps)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: cleanEnv(),
  });
  const [port] = (await once(createInterface(model.stdout), 'line')) as [string];
  const url = `http://127.0.0.1:${port}`;
  const startedAt = Date.now();
  const loop = spawn(process.execPath, [join(import.meta.dirname, file), `${url}/v1`, String(concurrent)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: cleanEnv(),
  });
  let output = '';
  loop.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(loop, 'close');
  const ask = async (path: string) => (await fetch(`${url}/${path}`)).json() as Promise<unknown>;
  const [gaps, firstAt] = [(await ask('stats')) as number[], (await ask('first')) as number];
  model.stdin.end();
  await once(model, 'close');
  if (gaps.length < steps) throw new Error(`${file} made only ${gaps.length} of ${steps} steps: ${output}`);
  const { cpuMs, rssMb } = JSON.parse(output) as { cpuMs: number; rssMb: number };
  return { gaps, cpuMs, rssMb, coldStartMs: firstAt - startedAt };
}
