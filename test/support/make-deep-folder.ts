import { execFileSync } from 'node:child_process';

/** Nests folders in one until no path reaches the innermost, and puts a file there. */
export function makeDeepFolder(folder: string): void {
  const script = `const fs = require('fs');
    for (let depth = 0; depth < 25; depth += 1) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)); }
    fs.writeFileSync('deep.txt', 'deep');`;
  execFileSync(process.execPath, ['-e', script], { cwd: folder });
}
