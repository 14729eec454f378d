import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { installPackages } from './docker/install-packages.ts';
import { findPostgres } from './postgres/find-postgres.ts';

/** Debian's package would make and start a server for the whole machine; the tests start their own. */
const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.conf';

/** Leaves PostgreSQL's programs on the machine where it may. Without them the tests that need a server are skipped. */
function setupPostgres(): void {
  if (findPostgres() !== undefined) return;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version') && !existsSync(CLUSTER_SETTINGS)) {
    mkdirSync('/etc/postgresql-common', { recursive: true });
    writeFileSync(CLUSTER_SETTINGS, 'create_main_cluster = false\n');
  }
  installPackages(['postgresql'], say, {
    missing: 'PostgreSQL is not installed',
    wish: (command) => `Install it, on Debian by ${command}.`,
  });
}

function say(line: string): void {
  console.error(`setup-postgres: ${line}`);
}

try {
  setupPostgres();
} catch (cause) {
  say(`${(cause as Error).message} The tests of the PostgreSQL store are skipped.`);
}
