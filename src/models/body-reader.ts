import type { TransportWatch } from './transport-watch.ts';

const DRAIN_LIMIT_MS = 100;

/** Reads a response body as text, each read under the watch. */
export class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #watch: TransportWatch;
  readonly #decoder = new TextDecoder();

  constructor(body: ReadableStream<Uint8Array>, watch: TransportWatch) {
    this.#reader = body.getReader();
    this.#watch = watch;
    watch.signal.addEventListener('abort', this.#cancel, { once: true });
  }

  /** `undefined` at the end. Characters split over two reads come out whole. */
  async next(): Promise<string | undefined> {
    const { done, value } = await this.#watch.during(() => this.#reader.read());
    return done ? undefined : this.#decoder.decode(value, { stream: true });
  }

  /** Reads the few bytes after a reply, if they come at once, so that the connection can be used again. */
  async drain(): Promise<void> {
    const timer = setTimeout(this.#cancel, DRAIN_LIMIT_MS);
    try {
      while (!(await this.#reader.read()).done);
    } catch {
      // the reply is complete; how the connection ends does not matter
    } finally {
      clearTimeout(timer);
    }
  }

  readonly #cancel = (): void => void this.#reader.cancel().catch(() => {});
}
