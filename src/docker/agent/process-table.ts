import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeAll, openInput } from './input-file.ts';
import { killUntilEmpty } from './kill-until-empty.ts';
import { OutputForwarder } from './output-forwarder.ts';
import type { PipePool } from './pipe-pool.ts';
import type { AgentMessage, KillRequest, SpawnRequest } from './protocol.ts';

type Send = (message: AgentMessage, body?: Uint8Array) => void;

/** Commands of the host, each the leader of a session and process group of its own. */
export class ProcessTable {
  readonly #pipes: PipePool;
  readonly #send: Send;
  readonly #groups = new Map<number, { group: number; mark: string }>();
  readonly #starting = new Map<number, Promise<void>>();
  readonly #kills = new Map<number, Promise<boolean>>();
  readonly #boot = randomBytes(8).toString('hex');

  constructor(pipes: PipePool, send: Send) {
    this.#pipes = pipes;
    this.#send = send;
  }

  async spawn(call: number, request: SpawnRequest, stdin: Buffer): Promise<void> {
    const starting = this.#start(call, request, stdin).catch((cause: Error) => {
      this.#send({ type: 'refused', call, reason: cause.message });
    });
    this.#starting.set(call, starting);
    await starting;
    this.#starting.delete(call);
  }

  /** Whether nothing of the call is left. A second request joins the first. */
  async kill({ call, graceMs, limitMs }: KillRequest): Promise<boolean> {
    await this.#starting.get(call);
    const target = this.#groups.get(call);
    if (!target) return true;
    const running = this.#kills.get(call);
    if (running) return running;
    const kill = killUntilEmpty(target, graceMs, limitMs).finally(() => this.#kills.delete(call));
    this.#kills.set(call, kill);
    return kill;
  }

  async #start(call: number, request: SpawnRequest, stdin: Buffer): Promise<void> {
    assertUsable(request.cwd);
    const mark = `DSH_CALL=${this.#boot}-${call}`;
    const [stdout, stderr] = [await this.#pipes.take(), await this.#pipes.take()];
    const input = openInput(request.stdin ? stdin : undefined);
    const [name, value] = mark.split('=') as [string, string];
    const oomKillsBefore = oomKills();
    const child = spawn(request.argv[0]!, request.argv.slice(1), {
      cwd: request.cwd,
      env: { PATH: process.env['PATH'], ...request.env, [name]: value },
      detached: true,
      stdio: [input, stdout.write, stderr.write],
    });
    closeAll(input, stdout.write, stderr.write);
    const ended = ending(child);
    const streams = [
      this.#forward(call, 'stdout', stdout.read, request),
      this.#forward(call, 'stderr', stderr.read, request),
    ];
    if (child.pid === undefined) throw await ended.then(String, (cause: Error) => cause);

    this.#groups.set(call, { group: child.pid, mark });
    this.#send({ type: 'spawned', call, group: child.pid });
    void this.#settle(call, ended, streams, request.drainMs, oomKillsBefore);
  }

  async #settle(
    call: number,
    ended: Promise<Ending>,
    streams: OutputForwarder[],
    drainMs: number,
    oomKillsBefore: number,
  ): Promise<void> {
    const { exitCode, signal } = await ended;
    await Promise.race([Promise.all(streams.map((stream) => stream.ended)), sleep(drainMs, undefined, { ref: false })]);
    for (const stream of streams) stream.stop();
    this.#send({ type: 'exit', call, exitCode, signal, oomKilled: oomKills() > oomKillsBefore });
  }

  #forward(call: number, stream: 'stdout' | 'stderr', fd: number, { caps }: SpawnRequest): OutputForwarder {
    const socket = new Socket({ fd, readable: true, writable: false });
    return new OutputForwarder(socket, caps, (skipped, bytes) => {
      this.#send({ type: 'output', call, stream, skipped }, bytes);
    });
  }
}

interface Ending {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

function ending(child: ChildProcess): Promise<Ending> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  child.once('error', reject);
  child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  promise.catch(() => {});
  return promise;
}

/** Node's own error would name the program and not the folder. */
function assertUsable(cwd: string): void {
  if (!statSync(cwd).isDirectory()) throw new Error(`not a directory: ${cwd}`);
  accessSync(cwd, constants.X_OK);
}

/** How many processes the kernel has killed in this container for lack of memory. */
function oomKills(): number {
  for (const file of ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control']) {
    try {
      const [, count] = /^oom_kill (\d+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
      if (count !== undefined) return Number(count);
    } catch {
      continue;
    }
  }
  return 0;
}
