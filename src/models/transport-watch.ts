import { LlmError } from '../harness/llm/errors.ts';

export interface TransportTimeouts {
  /** Longest silence while a read is outstanding; any byte re-arms it. */
  streamIdleTimeoutMs: number;
  /** Longest time of reading without a chunk; keep-alives do not re-arm it. */
  streamProgressTimeoutMs: number;
}

type End = 'idle' | 'progress' | 'caller' | 'closed';

/** One abort signal for one model call, from connecting to the last byte, and the two clocks that may fire it. */
export class TransportWatch {
  readonly #controller = new AbortController();
  readonly #timeouts: TransportTimeouts;
  readonly #caller: AbortSignal | undefined;
  readonly #onCallerAbort = (): void => this.#end('caller');
  #ended: End | undefined;
  #progressLeftMs: number;

  constructor(timeouts: TransportTimeouts, caller: AbortSignal | undefined) {
    this.#timeouts = timeouts;
    this.#progressLeftMs = timeouts.streamProgressTimeoutMs;
    this.#caller = caller;
    caller?.addEventListener('abort', this.#onCallerAbort, { once: true });
    if (caller?.aborted) this.#end('caller');
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for the network with both clocks running; between two waits neither runs. */
  async during<T>(wait: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    const startedAt = performance.now();
    const isProgressFirst = this.#progressLeftMs <= this.#timeouts.streamIdleTimeoutMs;
    const timer = setTimeout(
      () => this.#end(isProgressFirst ? 'progress' : 'idle'),
      isProgressFirst ? Math.max(this.#progressLeftMs, 0) : this.#timeouts.streamIdleTimeoutMs,
    );
    try {
      const result = await wait();
      this.signal.throwIfAborted();
      return result;
    } finally {
      clearTimeout(timer);
      this.#progressLeftMs -= performance.now() - startedAt;
    }
  }

  /** A chunk arrived. */
  progressed(): void {
    this.#progressLeftMs = this.#timeouts.streamProgressTimeoutMs;
  }

  /** What a failed call is reported as: an error that is coded already, or the first of timeout, abort and transport. */
  failure(error: unknown): LlmError {
    if (Error.isError(error) && error instanceof LlmError) return error;
    switch (this.#ended) {
      case 'idle':
        return timedOut(`sent nothing for ${this.#timeouts.streamIdleTimeoutMs} ms`);
      case 'progress':
        return timedOut(`made no progress for ${this.#timeouts.streamProgressTimeoutMs} ms`);
      case 'caller':
        return new LlmError('the model call was aborted', 'ABORTED');
      default:
        return transportFailure(error);
    }
  }

  /** Ends the connection if it is still open. To be called once, when nothing more will be read. */
  close(): void {
    this.#end('closed');
    this.#caller?.removeEventListener('abort', this.#onCallerAbort);
  }

  #end(reason: End): void {
    this.#ended ??= reason;
    this.#controller.abort();
  }
}

function timedOut(what: string): LlmError {
  return new LlmError(`the model server ${what}`, 'TIMEOUT');
}

const TIMEOUT_CODES = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'];

function transportFailure(error: unknown): LlmError {
  const code = causeCodes(error).some((cause) => TIMEOUT_CODES.includes(cause)) ? 'TIMEOUT' : 'TRANSPORT';
  return new LlmError(`the connection to the model server failed: ${rootMessage(error)}`, code, { cause: error });
}

function causeCodes(error: unknown): string[] {
  return causes(error).map((cause) => String((cause as { code?: unknown }).code));
}

function rootMessage(error: unknown): string {
  return causes(error).at(-1)?.message || 'no details';
}

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; Error.isError(at) && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
}
