import { createRequire } from 'node:module';
import { join } from 'node:path';
import { sandboxUnavailable } from './errors.ts';
import type { EngineFacts } from './engine.ts';

/** Docker's words for architectures, in Node's. */
const ARCHITECTURES: Record<string, string> = { amd64: 'x64', arm64: 'arm64', x86_64: 'x64', aarch64: 'arm64' };

/** A Node for the engine's machine: ours where it fits, else the one of an installed `node-linux-…` package. */
export function nodeBinaryFor({ arch }: EngineFacts): string {
  const wanted = ARCHITECTURES[arch] ?? arch;
  if (process.platform === 'linux' && process.arch === wanted) return process.execPath;

  const name = `node-linux-${wanted}`;
  try {
    return join(createRequire(import.meta.url).resolve(`${name}/package.json`), '..', 'bin', 'node');
  } catch (cause) {
    throw sandboxUnavailable(
      `The Docker engine is linux/${arch} and this program has no Node for it.`,
      `Install the package ${name}@${process.versions.node} beside this one.`,
      cause,
    );
  }
}
