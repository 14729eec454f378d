/** Undoes one thing. Whoever makes it sees to it that it runs at most once. */
export type Disposer = () => void | Promise<void>;

/** Empties `disposers` last to first, each awaited before the next, and then throws what failed. */
export function undoInReverse(disposers: Disposer[]): void | Promise<void> {
  const errors: unknown[] = [];
  for (let dispose = disposers.pop(); dispose; dispose = disposers.pop()) {
    const pending = attempt(dispose, errors);
    if (pending) return finishUndo(pending, disposers, errors);
  }
  throwCollected(errors);
}

async function finishUndo(pending: Promise<void>, disposers: Disposer[], errors: unknown[]): Promise<void> {
  await pending;
  for (let dispose = disposers.pop(); dispose; dispose = disposers.pop()) await attempt(dispose, errors);
  throwCollected(errors);
}

/** Runs one disposer; its failure lands in `errors`. Returns a promise, which never rejects, only if it has to wait. */
export function attempt(dispose: Disposer, errors: unknown[]): Promise<void> | undefined {
  try {
    const running = dispose();
    if (!isThenable(running)) return undefined;
    return Promise.resolve(running).catch((error: unknown) => void errors.push(error));
  } catch (error) {
    errors.push(error);
    return undefined;
  }
}

/** One error is thrown as it is, several as one flat `AggregateError`. */
export function throwCollected(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  if (errors.length === 1) throw errors[0];
  const flat = errors.flatMap((error) => (error instanceof AggregateError ? (error.errors as unknown[]) : [error]));
  throw new AggregateError(flat, `${flat.length} errors while undoing`);
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
