import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { z } from 'zod';
import { AgentMessageSchema, AgentResults } from './agent-message.ts';
import { FrameError, FrameReader, FrameWriter, SEAL_KEY_BYTES } from './agent/frame.ts';
import type { AgentMessage, AgentRequest, FileErrorCode, FileRequest, SpawnRequest } from './agent/protocol.ts';
import { AttachDemuxer } from './attach-demuxer.ts';
import { sandboxUnavailable } from './errors.ts';

export type Hello = Extract<AgentMessage, { type: 'hello' }>;
export type CommandExit = Omit<Extract<AgentMessage, { type: 'exit' }>, 'type' | 'call'>;
type AnsweredRequest = FileRequest | { op: 'ping' } | Extract<AgentRequest, { op: 'kill' }>;
export type ResultOf<Op extends AnsweredRequest['op']> = z.infer<(typeof AgentResults)[Op]>;

/** A file operation that the agent refused. */
export class AgentFileError extends Error {
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The command never ran: no such folder, no such program. */
export class SpawnRefused extends Error {}

export interface OutputListener {
  /** `skipped` bytes of the stream were left out before these. */
  output(stream: 'stdout' | 'stderr', skipped: number, bytes: Buffer): void;
}
export interface RunningCommand {
  call: number;
  /** Rejects with `SpawnRefused`, or with `SANDBOX_UNAVAILABLE` when the sandbox is lost. */
  exit: Promise<CommandExit>;
}

interface PendingCall {
  op: AgentRequest['op'];
  resolve(value: unknown, body: Buffer): void;
  reject(cause: Error): void;
  listener?: OutputListener;
}

const HEARTBEAT_MS = 5_000;
const STDERR_TAIL_CHARS = 2_000;

/**
 * The host's end of one agent. Every byte that comes is checked; the first wrong one, the end of the stream and
 * silence lose the sandbox: all calls in flight and all later ones then fail with `SANDBOX_UNAVAILABLE`.
 */
export class AgentClient {
  readonly hello: Promise<Hello>;
  /** Resolves with the reason once the sandbox is lost or closed. */
  readonly lost: Promise<Error>;
  readonly #stream: Duplex;
  readonly #writer: FrameWriter;
  readonly #reader: FrameReader;
  readonly #demuxer = new AttachDemuxer();
  readonly #pending = new Map<number, PendingCall>();
  readonly #greeting = Promise.withResolvers<Hello>();
  readonly #loss = Promise.withResolvers<Error>();
  readonly #silenceMs: number;
  #nextCall = 1;
  #lostBy: Error | undefined;
  #complaints = '';
  #heardAt = performance.now();
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(stream: Duplex, options: { silenceMs: number }) {
    const key = randomBytes(SEAL_KEY_BYTES);
    this.#stream = stream;
    this.#silenceMs = options.silenceMs;
    this.#writer = new FrameWriter(key, 'to-agent');
    this.#reader = new FrameReader(key, 'to-host');
    this.hello = this.#greeting.promise;
    this.lost = this.#loss.promise;
    this.hello.catch(() => {});
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    stream.on('error', (cause) => this.lose('its connection broke', cause));
    stream.on('close', () => this.lose('it has ended'));
    stream.on('end', () => this.lose('it has ended'));
    stream.write(key);
  }

  get isLost(): boolean {
    return this.#lostBy !== undefined;
  }

  async call<R extends AnsweredRequest>(
    request: R,
    options: { body?: Uint8Array; signal?: AbortSignal } = {},
  ): Promise<{ value: ResultOf<R['op']>; body: Buffer }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ value: unknown; body: Buffer }>();
    const call = this.#send(request, options.body, {
      op: request.op,
      resolve: (value, body) => resolve({ value, body }),
      reject,
    });
    const cancel = () => this.#write(this.#writer.encode({ op: 'cancel', call }));
    options.signal?.addEventListener('abort', cancel, { once: true });
    try {
      const { value, body } = await promise;
      return { value: this.#checked(request.op, value) as ResultOf<R['op']>, body };
    } finally {
      options.signal?.removeEventListener('abort', cancel);
    }
  }

  spawn(request: SpawnRequest, stdin: Uint8Array | undefined, listener: OutputListener): RunningCommand {
    const { promise, resolve, reject } = Promise.withResolvers<CommandExit>();
    const settle = (value: unknown) => resolve(value as CommandExit);
    return { call: this.#send(request, stdin, { op: 'spawn', resolve: settle, reject, listener }), exit: promise };
  }

  /** Gives the sandbox up. The first reason stays. */
  lose(reason: string, cause?: unknown): void {
    if (this.#lostBy) return;
    clearInterval(this.#heartbeat);
    const said = plainLine(this.#complaints);
    const message = `The sandbox was lost: ${reason}.${said === '' ? '' : ` It said: "${said}".`}`;
    this.#lostBy = sandboxUnavailable(message, LOST_HINT, cause);
    for (const { reject } of this.#pending.values()) reject(this.#lostBy);
    this.#pending.clear();
    this.#greeting.reject(this.#lostBy);
    this.#loss.resolve(this.#lostBy);
    this.#stream.destroy();
  }

  #send(request: AgentRequest, body: Uint8Array | undefined, pending: PendingCall): number {
    const call = this.#nextCall++;
    try {
      if (this.#lostBy) throw this.#lostBy;
      this.#write(this.#writer.encode({ ...request, id: call }, body));
      this.#pending.set(call, pending);
      this.#watch();
    } catch (cause) {
      pending.reject(cause instanceof FrameError ? tooLarge(request.op, cause) : (cause as Error));
    }
    return call;
  }

  #write(frame: Buffer): void {
    if (!this.#lostBy) this.#stream.write(frame);
  }

  /** While somebody waits, a silent agent is asked whether it lives. */
  #watch(): void {
    if (this.#heartbeat) return;
    this.#heardAt = performance.now();
    const intervalMs = Math.min(HEARTBEAT_MS, this.#silenceMs / 2);
    this.#heartbeat = setInterval(() => {
      if (this.#pending.size === 0) {
        clearInterval(this.#heartbeat);
        this.#heartbeat = undefined;
      } else if (performance.now() - this.#heardAt > this.#silenceMs) {
        this.lose(`its agent has been silent for ${this.#silenceMs} ms`);
      } else {
        this.call({ op: 'ping' }).catch(() => {});
      }
    }, intervalMs);
    this.#heartbeat.unref();
  }

  #receive(chunk: Buffer): void {
    this.#heardAt = performance.now();
    try {
      for (const { stream, bytes } of this.#demuxer.push(chunk)) {
        if (stream === 'stderr') this.#complaints = (this.#complaints + bytes.toString()).slice(-STDERR_TAIL_CHARS);
        else for (const { head, body } of this.#reader.push(bytes)) this.#take(AgentMessageSchema.parse(head), body);
      }
    } catch (cause) {
      this.lose('something other than its agent spoke', cause);
    }
  }

  #take(message: AgentMessage, body: Buffer): void {
    if (message.type === 'hello') return this.#greeting.resolve(message);
    const pending = this.#pending.get(message.call);
    if (!pending || !isAnswerTo(pending, message)) throw new Error(`unexpected ${message.type}`);
    if (message.type === 'spawned') return;
    if (message.type === 'output') return pending.listener?.output(message.stream, message.skipped, body);

    this.#pending.delete(message.call);
    switch (message.type) {
      case 'refused':
        return pending.reject(new SpawnRefused(message.reason));
      case 'error':
        return pending.reject(new AgentFileError(message.code, message.message));
      case 'result':
        return pending.resolve(message.value, body);
      case 'exit':
        return pending.resolve(
          { exitCode: message.exitCode, signal: message.signal, oomKilled: message.oomKilled },
          body,
        );
    }
  }

  #checked<Op extends AnsweredRequest['op']>(op: Op, value: unknown): unknown {
    const { success, data, error } = AgentResults[op].safeParse(value);
    if (success) return data;
    this.lose('something other than its agent spoke', error);
    throw this.#lostBy;
  }
}

const LOST_HINT = 'Run it again; if that happens again, see the log of the Docker engine.';
/** A command may write there, too: nothing of it may act on a terminal, or pass for our own lines. */
function plainLine(complaints: string): string {
  return complaints
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll('"', "'")
    .trim();
}

const COMMAND_MESSAGES = ['spawned', 'refused', 'output', 'exit'];

/** The request has not gone out: the sandbox is as it was. */
function tooLarge(op: AgentRequest['op'], { message }: FrameError): Error {
  const text = `what the sandbox was asked is too long (${message})`;
  return op === 'spawn' ? new SpawnRefused(text) : new AgentFileError('FS_IO_ERROR', text);
}

function isAnswerTo({ op }: PendingCall, { type }: AgentMessage): boolean {
  return (op === 'spawn') === COMMAND_MESSAGES.includes(type);
}
