/**
 * Works on items, so many at once. All that was begun has ended before this returns or throws; after a failure nothing
 * more is begun. The first is alone until it says that the others may follow.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, othersMayFollow: () => void) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const lane = async (othersMayFollow: () => void) => {
    while (next < items.length && failures.length === 0) {
      const at = next++;
      try {
        results[at] = await work(items[at]!, othersMayFollow);
      } catch (error) {
        failures.push(error);
      }
      othersMayFollow();
    }
  };
  const { promise: mayFollow, resolve } = Promise.withResolvers<void>();
  const first = lane(resolve);
  if (items.length === 0) resolve();
  await mayFollow;
  await Promise.all([first, ...Array.from({ length: limit - 1 }, () => lane(() => {}))]);
  if (failures.length > 0) throw failures[0];
  return results;
}
