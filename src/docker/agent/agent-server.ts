import { mkdirSync } from 'node:fs';
import { FileOperationError } from './file-operation-error.ts';
import { runFileOperation } from './file-operations.ts';
import { FrameReader, FrameWriter, SEAL_KEY_BYTES } from './frame.ts';
import type { Frame } from './frame.ts';
import { observeConfinement } from './observe-confinement.ts';
import { PipePool } from './pipe-pool.ts';
import { ProcessTable } from './process-table.ts';
import { MAX_TEXT_CHARS, PROTOCOL } from './protocol.ts';
import type { AgentMessage, AgentRequest, FileRequest } from './protocol.ts';

/** Short commands print and end within this time. */
const HOLD_MS = 2;
const MAX_HELD_BYTES = 16 * 1024;
const MAY_WAIT: ReadonlySet<AgentMessage['type']> = new Set(['spawned', 'output']);

/** Takes the host's bytes, the seal key first, and answers on standard output. */
export class AgentServer {
  readonly #cancelled = new Map<number, AbortController>();
  readonly #table = new ProcessTable(new PipePool(), (message, body) => this.#send(message, body));
  #key: Buffer = Buffer.alloc(0);
  #reader: FrameReader | undefined;
  #writer: FrameWriter | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #egress: boolean;

  /** `egress` tells whether there is a way out. */
  constructor({ egress }: { egress: boolean }) {
    this.#egress = egress;
  }

  receive(chunk: Buffer): void {
    const frames = this.#reader ? this.#reader.push(chunk) : this.#takeKey(chunk);
    for (const frame of frames) void this.#handle(frame);
  }

  #takeKey(chunk: Buffer): Frame[] {
    this.#key = Buffer.concat([this.#key, chunk]);
    if (this.#key.length < SEAL_KEY_BYTES) return [];
    const key = this.#key.subarray(0, SEAL_KEY_BYTES);
    this.#reader = new FrameReader(key, 'to-agent');
    this.#writer = new FrameWriter(key, 'to-host');
    this.#greet();
    return this.#reader.push(this.#key.subarray(SEAL_KEY_BYTES));
  }

  #greet(): void {
    mkdirSync(process.env['HOME']!, { recursive: true });
    this.#send({ type: 'hello', call: 0, protocol: PROTOCOL, ...observeConfinement(), egress: this.#egress });
  }

  async #handle({ head, body }: Frame): Promise<void> {
    const request = head as AgentRequest & { call: number; id: number };
    switch (request.op) {
      case 'ping':
        return this.#send({ type: 'result', call: request.id, value: null });
      case 'cancel':
        return this.#cancelled.get(request.call)?.abort();
      case 'spawn':
        return this.#table.spawn(request.id, request, body);
      case 'kill':
        return this.#send({ type: 'result', call: request.id, value: { empty: await this.#table.kill(request) } });
      default:
        return this.#runFileOperation(request.id, request, body);
    }
  }

  async #runFileOperation(call: number, request: FileRequest, body: Buffer): Promise<void> {
    const controller = new AbortController();
    this.#cancelled.set(call, controller);
    try {
      const { value, bytes } = await runFileOperation(request, body, controller.signal);
      this.#send({ type: 'result', call, value }, bytes);
    } catch (cause) {
      const { code, message } = FileOperationError.from(cause);
      this.#send({ type: 'error', call, code, message });
    } finally {
      this.#cancelled.delete(call);
    }
  }

  /**
   * What may wait goes together with what comes right after it: each piece on its own passes through the whole engine.
   * Blocks while the host does not read: that holds back a flooding command with no more than one small buffer.
   */
  #send(message: AgentMessage, body?: Uint8Array): void {
    const frame = this.#writer!.encode(fitting(message), body);
    this.#held.push(frame);
    this.#heldBytes += frame.length;
    if (MAY_WAIT.has(message.type) && this.#heldBytes < MAX_HELD_BYTES)
      this.#timer ??= setTimeout(this.#flush, HOLD_MS);
    else this.#flush();
  }

  readonly #flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    process.stdout.write(this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
  };
}

function fitting(message: AgentMessage): AgentMessage {
  switch (message.type) {
    case 'refused':
      return { ...message, reason: message.reason.slice(0, MAX_TEXT_CHARS) };
    case 'error':
      return { ...message, message: message.message.slice(0, MAX_TEXT_CHARS) };
    default:
      return message;
  }
}
