import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The file that the build puts next to this module, or next to the bundle that it is part of. */
const BUILT = 'sandbox-agent.js';
const BUNDLER = '../../scripts/bundle-sandbox-agent.ts';

let bundle: Promise<string> | undefined;

/** The agent as one script: the built one, or, when this runs from source, bundled once by a process of its own. */
export function agentBundle(): Promise<string> {
  return (bundle ??= import.meta.url.endsWith('.ts') ? bundleFromSource() : readFile(urlOf(BUILT), 'utf8'));
}

async function bundleFromSource(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(urlOf(BUNDLER))]);
  return stdout;
}

function urlOf(path: string): URL {
  return new URL(path, import.meta.url);
}
