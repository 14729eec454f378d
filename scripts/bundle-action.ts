import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';

/**
 * Bundles the Action into `dist/` (or the folder given): GitHub runs what is committed, without an install. Native
 * parts of dockerode's SSH support stay out; they are optional there.
 */
async function bundleAction(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await build({
    input: join(import.meta.dirname, '../src/action/main.ts'),
    platform: 'node',
    external: [/\.node$/, 'cpu-features'],
    output: { file: join(folder, 'action.js'), format: 'esm', minify: true, codeSplitting: false },
    logLevel: 'warn',
  });
  const agent = join(import.meta.dirname, 'bundle-sandbox-agent.ts');
  const { status } = spawnSync(process.execPath, [agent, folder], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the sandbox agent was not bundled');
}

await bundleAction(process.argv[2] ?? join(import.meta.dirname, '../dist'));
