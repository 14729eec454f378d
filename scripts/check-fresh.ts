import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { configSchema } from '../src/config/config-schema.ts';

/** Proves that the committed `dist/` is what the sources give: what runs as the Action is what was reviewed. */
function checkFresh(): void {
  const made = mkdtempSync(join(tmpdir(), 'dsh-dist-'));
  try {
    spawnSync(process.execPath, [join(import.meta.dirname, 'bundle-action.ts'), made], { stdio: 'inherit' });
    const committed = join(import.meta.dirname, '../dist');
    const stale = readdirSync(made).filter((name) => !isSame(join(made, name), join(committed, name)));
    if (stale.length === 0) return;
    console.error(`dist/ is stale (${stale.join(', ')}): run \`npm run build:action\` and commit it.`);
    process.exitCode = 1;
  } finally {
    rmSync(made, { recursive: true });
  }
}

function isSame(a: string, b: string): boolean {
  try {
    return readFileSync(a).equals(readFileSync(b));
  } catch {
    return false; // not committed at all
  }
}

/** The published schema of the settings file is what checks it. */
function checkSchema(): void {
  const committed = readFileSync(join(import.meta.dirname, '../schema/dsh.schema.json'), 'utf8');
  if (isDeepStrictEqual(JSON.parse(committed), JSON.parse(JSON.stringify(configSchema())))) return;
  console.error('schema/ is stale: run `npm run schema` and commit it.');
  process.exitCode = 1;
}

checkFresh();
checkSchema();
