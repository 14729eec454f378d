import { Context } from '../harness/kernel/context.ts';
import type { Plugin } from '../harness/kernel/context.ts';
import type { CommandDescriptor } from '../seams/commands/types.ts';
import { mountDesk } from './open-desk.ts';
import type { DeskParts } from './open-desk.ts';
import { mountPlugins } from './mount-plugins.ts';

/**
 * The commands that plugins bring to every session, by name: asked once of a kernel in which no session is. What a plugin
 * brings to one agent alone is known only while that agent is there.
 */
export function pluggedCommands(
  plugins: readonly Plugin<void>[],
  parts: DeskParts,
): () => Promise<readonly CommandDescriptor[]> {
  let known: Promise<readonly CommandDescriptor[]> | undefined;
  const read = async () => {
    try {
      return await readCommands(plugins, parts);
    } catch (error) {
      parts.log('the commands of plugins could not be read', error);
      known = undefined;
      return [];
    }
  };
  return () => (known ??= read());
}

async function readCommands(plugins: readonly Plugin<void>[], parts: DeskParts): Promise<readonly CommandDescriptor[]> {
  if (plugins.length === 0) return [];
  const root = new Context();
  try {
    await mountDesk(root, parts);
    const own = new Set(root.commands.list().map(({ name }) => name));
    await mountPlugins(root, plugins, parts.log);
    return root.commands.list().filter(({ name }) => !own.has(name));
  } finally {
    await root.fiber.dispose();
  }
}
