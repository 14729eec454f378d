import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Installs Debian packages, or says what a person has to do instead. */
export function installPackages(names: string[], say: (line: string) => void): void {
  const wish = `Install Docker (on Debian: \`apt-get install ${names.join(' ')}\`) and start its engine, or set DOCKER_HOST.`;
  if (!existsSync('/etc/debian_version')) throw new Error(`No Docker engine answers and this is not Debian. ${wish}`);
  if (process.getuid?.() !== 0) throw new Error(`No Docker engine answers and this user is not root. ${wish}`);

  say(`installing ${names.join(', ')} with apt-get`);
  aptGet(['update']);
  aptGet(['install', '--yes', '--no-install-recommends', ...names]);
}

export function isProgramPresent(name: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(join(folder, name)));
}

function aptGet(args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stderr } = spawnSync('apt-get', ['-qq', ...args], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`apt-get ${args.join(' ')} failed:\n${stderr}`);
}
