import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { connectEngine } from '../src/docker/engine.ts';
import { median, ratioRow } from './benchmark.ts';
import type { Benchmark } from './benchmark.ts';
import { openBenchSandbox } from './bench-sandbox.ts';

const COMMANDS = 100;
const EXECS = 15;

/** B6: one command in the warm sandbox against `docker exec` through the same client and a spawn on the host. */
export const sandboxCommand: Benchmark = {
  id: 'B6',
  async run(rounds) {
    const bench = await openBenchSandbox();
    const samples = { sandbox: [] as number[], exec: [] as number[], host: [] as number[] };
    try {
      await bench.run('true');
      for (let round = 0; round < rounds; round++) {
        await sample(samples.sandbox, COMMANDS, () => bench.run('echo x'));
        await sample(samples.exec, EXECS, () => dockerExec(bench.containerId));
        await sample(samples.host, COMMANDS, hostSpawn);
      }
    } finally {
      await bench.close();
    }
    const figure = median(samples.sandbox);
    return [
      ratioRow(
        'B6',
        'a command in the sandbox (against docker exec)',
        { figure, reference: median(samples.exec), unit: 'ms' },
        { atMost: 0.08 },
      ),
      ratioRow(
        'B6',
        'a command in the sandbox (against a host spawn)',
        { figure, reference: median(samples.host), unit: 'ms' },
        { atMost: 2 },
      ),
    ];
  },
};

async function sample(into: number[], count: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    await work();
    into.push(performance.now() - startedAt);
  }
}

async function dockerExec(container: string): Promise<void> {
  const docker = connectEngine(process.env['DOCKER_HOST']);
  const exec = await docker
    .getContainer(container)
    .exec({ Cmd: ['sh', '-c', 'echo x'], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({ hijack: true, stdin: false });
  docker.modem.demuxStream(stream, new PassThrough().resume(), new PassThrough().resume());
  await once(stream, 'end');
}

async function hostSpawn(): Promise<void> {
  const child = spawn('sh', ['-c', 'echo x'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, 'close');
}
