import { readFileSync } from 'node:fs';
import { findPackageRoot } from './package-root.ts';
import type { AppIdentity } from '../harness/llm/types.ts';

/** Who we say we are to servers: product, version and where to read more. */
export function readIdentity(): AppIdentity {
  const { version } = JSON.parse(readFileSync(`${findPackageRoot()}/package.json`, 'utf8')) as { version: string };
  return { product: 'dsh-github', version, url: 'https://www.npmjs.com/package/dsh-github' };
}
