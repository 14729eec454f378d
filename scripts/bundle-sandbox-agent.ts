import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';

/**
 * Bundles the sandbox agent into one script. With a folder as argument it goes to where the built program looks for
 * it: `<folder>/docker/sandbox-agent.js` for `lib`, `<folder>/sandbox-agent.js` elsewhere. Without one it is printed.
 */
async function bundleSandboxAgent(folder: string | undefined): Promise<void> {
  const { output } = await build({
    input: join(import.meta.dirname, '../src/docker/agent/main.ts'),
    platform: 'node',
    write: false,
    output: { format: 'esm', minify: true },
  });
  if (folder === undefined) return void process.stdout.write(output[0].code);
  const target = folder === 'lib' ? join(folder, 'docker') : folder;
  await mkdir(target, { recursive: true });
  await writeFile(join(target, 'sandbox-agent.js'), output[0].code);
}

await bundleSandboxAgent(process.argv[2]);
