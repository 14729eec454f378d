import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, '../package.json');
const KEPT = `${FILE}.kept`;

/**
 * Takes out of package.json, for the time of packing, what only this repository needs: a Node of its own and the word
 * on install scripts. `--restore` puts the whole file back.
 */
function stripPackage(): void {
  if (process.argv.includes('--restore')) {
    if (existsSync(KEPT)) renameSync(KEPT, FILE);
    return;
  }
  const text = readFileSync(FILE, 'utf8');
  const {
    optionalDependencies: _node,
    allowScripts: _scripts,
    ...published
  } = JSON.parse(text) as Record<string, unknown>;
  writeFileSync(KEPT, text);
  writeFileSync(FILE, `${JSON.stringify(published, null, 2)}\n`);
}

stripPackage();
