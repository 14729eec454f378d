import type { CallFailures } from './call-failures.ts';
import type { StreamChunk } from './types.ts';

/**
 * Reads an adapter's stream, opened at the first read. Only what choosing, calling and reading the adapter throws
 * is tagged. A rejected `next()` is not followed by `return()`, which could hang or hide the cause; a consumer
 * that stops early has `return()` awaited once, untagged (L14).
 */
export async function* guardAdapterStream(
  open: () => AsyncIterable<StreamChunk>,
  failures: CallFailures,
): AsyncGenerator<StreamChunk, void, void> {
  const iterator = tagged(failures, () => open()[Symbol.asyncIterator]());
  let mayReturn = true;
  try {
    for (;;) {
      mayReturn = false;
      const next = await readNext(iterator, failures);
      if (next.done) return;
      mayReturn = true;
      yield next.value;
    }
  } finally {
    if (mayReturn) await iterator.return?.();
  }
}

async function readNext(
  iterator: AsyncIterator<StreamChunk>,
  failures: CallFailures,
): Promise<IteratorResult<StreamChunk>> {
  try {
    return await iterator.next();
  } catch (thrown) {
    throw failures.tag(thrown);
  }
}

function tagged<T>(failures: CallFailures, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    throw failures.tag(thrown);
  }
}
