import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { oomKills, processPressure } from './cgroup-facts.ts';
import { closeAll, openInput } from './input-file.ts';
import { killUntilEmpty } from './kill-until-empty.ts';
import { MARK_NAME } from './members-of.ts';
import type { CallIdentity } from './members-of.ts';
import { OutputForwarder } from './output-forwarder.ts';
import type { PipePool } from './pipe-pool.ts';
import type { AgentMessage, KillRequest, SpawnRequest } from './protocol.ts';

const ROOM_LIMIT_MS = 5_000;
const MAX_PRESSURE = 0.5;

type Send = (message: AgentMessage, body?: Uint8Array) => void;

/** Commands of the host, each the leader of a session and process group of its own. */
export class ProcessTable {
  readonly #pipes: PipePool;
  readonly #send: Send;
  readonly #groups = new Map<number, CallGroup>();
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
    const kill = killUntilEmpty(this.#withStrays(target), graceMs, limitMs).finally(() => this.#kills.delete(call));
    this.#kills.set(call, kill);
    return kill;
  }

  /** Near the process limit, what ended calls have left running must go: a fork bomb would leave no room for others. */
  async #makeRoom(): Promise<void> {
    if (processPressure() < MAX_PRESSURE) return;
    for (const target of this.#groups.values()) {
      if (target.hasEnded) await killUntilEmpty(this.#withStrays(target), 0, ROOM_LIMIT_MS);
    }
  }

  /** A process that says of no call that it is its own can be another's, where another is at work. */
  #withStrays(target: CallGroup): CallIdentity {
    const isAlone = [...this.#groups.values()].every((other) => other === target || other.hasEnded);
    const { group, mark, startedAt } = target;
    return { group, mark, ...(isAlone && { straysSince: startedAt }) };
  }

  async #start(call: number, request: SpawnRequest, stdin: Buffer): Promise<void> {
    assertUsable(request.cwd);
    await this.#makeRoom();
    const startedAt = ticksSinceBoot();
    const mark = `${MARK_NAME}=${this.#boot}-${call}`;
    const [stdout, stderr] = [await this.#pipes.take(), await this.#pipes.take()];
    const input = openInput(request.stdin ? stdin : undefined);
    const [name, value] = mark.split('=') as [string, string];
    const oomKillsBefore = oomKills();
    let child: ChildProcess;
    try {
      child = spawn(request.argv[0]!, request.argv.slice(1), {
        cwd: request.cwd,
        env: { PATH: process.env['PATH'], ...request.env, [name]: value },
        detached: true,
        stdio: [input, stdout.write, stderr.write],
      });
    } finally {
      closeAll(input, stdout.write, stderr.write);
    }
    const ended = ending(child);
    const streams = [
      this.#forward(call, 'stdout', stdout.read, request),
      this.#forward(call, 'stderr', stderr.read, request),
    ];
    if (child.pid === undefined) throw await ended.then(String, (cause: Error) => cause);

    const target = { group: child.pid, mark, startedAt, hasEnded: false };
    this.#groups.set(call, target);
    this.#send({ type: 'spawned', call, group: child.pid });
    void this.#settle(call, target, ended, streams, request.drainMs, oomKillsBefore);
  }

  async #settle(
    call: number,
    target: CallGroup,
    ended: Promise<Ending>,
    streams: OutputForwarder[],
    drainMs: number,
    oomKillsBefore: number,
  ): Promise<void> {
    const { exitCode, signal } = await ended;
    await Promise.race([Promise.all(streams.map((stream) => stream.ended)), sleep(drainMs, undefined, { ref: false })]);
    for (const stream of streams) stream.stop();
    target.hasEnded = true;
    await this.#makeRoom();
    this.#send({ type: 'exit', call, exitCode, signal, oomKilled: oomKills() > oomKillsBefore });
  }

  #forward(call: number, stream: 'stdout' | 'stderr', fd: number, { caps }: SpawnRequest): OutputForwarder {
    const socket = new Socket({ fd, readable: true, writable: false });
    return new OutputForwarder(socket, caps, (skipped, bytes) => {
      this.#send({ type: 'output', call, stream, skipped }, bytes);
    });
  }
}

/** `hasEnded`: the command itself is over, what it left may still run. */
interface CallGroup {
  group: number;
  mark: string;
  startedAt: number;
  hasEnded: boolean;
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

/** A tick is a hundredth of a second on every Linux. */
function ticksSinceBoot(): number {
  return Math.floor(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 100) - 1;
}

/** Node's own error would name the program and not the folder. */
function assertUsable(cwd: string): void {
  if (!statSync(cwd).isDirectory()) throw new Error(`not a directory: ${cwd}`);
  accessSync(cwd, constants.X_OK);
}
