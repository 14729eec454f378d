import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import type { Plugin } from 'rolldown';

/**
 * Bundles the Action into `dist/` (or the folder given): GitHub runs what is committed, without an install. What is
 * imported late is a file of its own, so that a run that has nothing to do does not read it. Native parts of
 * dockerode's SSH support stay out; they are optional there.
 */
async function bundleAction(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await build({
    input: join(import.meta.dirname, '../src/action/main.ts'),
    platform: 'node',
    // pg-boss keeps the timetable of App processes; no Action has one.
    external: [/\.node$/, 'cpu-features', 'pg-boss'],
    plugins: [leaveOutUnused],
    output: {
      dir: folder,
      entryFileNames: 'action.js',
      chunkFileNames: ({ name, facadeModuleId }) => `${packageOf(facadeModuleId) ?? name}.js`,
      format: 'esm',
      minify: true,
    },
    logLevel: 'warn',
  });
  const agent = join(import.meta.dirname, 'bundle-sandbox-agent.ts');
  const { status } = spawnSync(process.execPath, [agent, folder], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the sandbox agent was not bundled');
}

/** Several packages call their entry `esm` or `index`. */
function packageOf(module: string | null | undefined): string | undefined {
  return /\/node_modules\/([^@/]+)\//.exec(module ?? '')?.[1];
}

/** What libraries load for uses we have none of, and what stands there instead. It is a third of the bundle. */
const UNUSED: ReadonlyMap<string, string> = new Map([
  ['dockerode/lib/session.js', 'module.exports = undefined;'], // BuildKit builds
  ['dockerode/lib/buildkit.js', 'module.exports = undefined;'],
  ['@actions/core/lib/oidc-utils.js', 'export const OidcClient = undefined;'], // tokens for clouds
]);

const leaveOutUnused: Plugin = {
  name: 'leave-out-unused',
  load(id) {
    const found = UNUSED.keys().find((path) => id.endsWith(`/node_modules/${path}`));
    return found && UNUSED.get(found);
  },
};

await bundleAction(process.argv[2] ?? join(import.meta.dirname, '../dist'));
