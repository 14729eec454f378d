import type { Context, Plugin } from '../harness/kernel/context.ts';

/**
 * Mounts plugins where a turn's services are not all there: one that needs what is missing waits for good, and one that fails
 * is for the operator. The others are there.
 */
export async function mountPlugins(
  root: Context,
  plugins: readonly Plugin<void>[],
  log: (message: string, error?: unknown) => void,
): Promise<void> {
  for (const plugin of plugins) {
    const fiber = root.plugin(plugin, undefined);
    fiber.then(undefined, () => {});
    if (fiber.state === 'pending') continue;
    await fiber.then(undefined, (error: unknown) => log(`plugin ${plugin.name} could not be mounted`, error));
  }
}
