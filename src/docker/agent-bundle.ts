import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The file that the build puts next to the module that asks for it. */
export const AGENT_BUNDLE_NAME = 'sandbox-agent.js';

/** The agent as one script: the built one, or, when this runs from source, bundled now. */
export async function agentBundle(): Promise<string> {
  if (!import.meta.url.endsWith('.ts')) return readFile(new URL(AGENT_BUNDLE_NAME, import.meta.url), 'utf8');
  return bundleAgent();
}

/** Bundles the agent from its source. Development and build only. */
export async function bundleAgent(): Promise<string> {
  const { build } = await import('rolldown');
  const { output } = await build({
    input: fileURLToPath(new URL('agent/main.ts', import.meta.url)),
    platform: 'node',
    write: false,
    output: { format: 'esm', minify: true },
  });
  return output[0].code;
}
