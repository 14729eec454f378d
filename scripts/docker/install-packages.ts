import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What the packages are for, in the words of whoever has to install them by hand. */
export interface Need {
  readonly missing: string;
  wish(command: string): string;
}

const ENGINE: Need = {
  missing: 'No Docker engine answers',
  wish: (command) => `Install Docker (on Debian: ${command}) and start its engine, or set DOCKER_HOST.`,
};

/** Installs Debian packages, or says what a person has to do instead. */
export function installPackages(names: string[], say: (line: string) => void, { missing, wish }: Need = ENGINE): void {
  const todo = wish(`\`apt-get install ${names.join(' ')}\``);
  if (!existsSync('/etc/debian_version')) throw new Error(`${missing} and this is not Debian. ${todo}`);
  if (process.getuid?.() !== 0) throw new Error(`${missing} and this user is not root. ${todo}`);

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
