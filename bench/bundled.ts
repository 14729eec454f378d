import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { build } from 'rolldown';

/**
 * Runs with a script of this folder as it would be shipped: one file of JavaScript, with the agent of the sandbox beside
 * it. Sources would be measured together with what reads their types. The path is relative to this folder.
 */
export async function withBundle<T>(script: string, run: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(import.meta.dirname, '.bundle-'));
  try {
    const name = `${basename(script, '.ts')}.js`;
    await build({
      input: join(import.meta.dirname, script),
      platform: 'node',
      external: [/\.node$/, 'cpu-features'],
      output: { dir: folder, entryFileNames: name, format: 'esm', minify: true },
      logLevel: 'silent',
    });
    bundleAgent(folder);
    return await run(relative(import.meta.dirname, join(folder, name)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function bundleAgent(folder: string): void {
  const script = join(import.meta.dirname, '../scripts/bundle-sandbox-agent.ts');
  const { status } = spawnSync(process.execPath, [script, folder], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the sandbox agent was not bundled');
}
