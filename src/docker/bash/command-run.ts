import type { AgentClient, CommandExit, RunningCommand } from '../agent-client.ts';
import type { SpawnRequest } from '../agent/protocol.ts';
import type { AgentLease } from '../sandbox.ts';
import type { OutputCollector } from './output-collector.ts';

/** How long processes may survive KILL before the container itself is given up. */
const SURVIVAL_LIMIT_MS = 5_000;

export interface CommandStreams {
  stdout: OutputCollector;
  stderr: OutputCollector;
}

/** One command inside, from its spawn until it has ended and, when it was killed, nothing of it is left. */
export class CommandRun {
  readonly done: Promise<CommandExit>;
  readonly #agent: AgentClient;
  readonly #command: RunningCommand;
  readonly #graceMs: number;
  readonly #release: () => Promise<void>;
  #kill: Promise<void> | undefined;

  constructor(
    { agent, release }: AgentLease,
    request: SpawnRequest,
    options: { stdin?: string; streams: CommandStreams; graceMs: number },
  ) {
    this.#agent = agent;
    this.#release = release;
    this.#graceMs = options.graceMs;
    const stdin = options.stdin === undefined ? undefined : Buffer.from(options.stdin);
    this.#command = agent.spawn(request, stdin, {
      output: (stream, skipped, bytes) => options.streams[stream].push(bytes, skipped),
    });
    this.done = this.#settled();
  }

  /** TERM, then KILL, to all that the command has started. A second call changes nothing. */
  kill(): void {
    this.#kill ??= this.#end();
  }

  async #settled(): Promise<CommandExit> {
    try {
      const exit = await this.#command.exit;
      await this.#kill;
      return exit;
    } finally {
      await this.#release();
    }
  }

  async #end(): Promise<void> {
    const limitMs = this.#graceMs + 2 * SURVIVAL_LIMIT_MS;
    const timer = setTimeout(() => this.#agent.lose('a command could not be ended'), limitMs);
    try {
      const kill = {
        op: 'kill',
        call: this.#command.call,
        graceMs: this.#graceMs,
        limitMs: SURVIVAL_LIMIT_MS,
      } as const;
      const { value } = await this.#agent.call(kill);
      if (!value.empty) this.#agent.lose('a command survived being killed');
    } catch {
      // The sandbox is lost, and with it the command: `done` says so.
    } finally {
      clearTimeout(timer);
    }
  }
}
