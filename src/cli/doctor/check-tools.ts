import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { failed, ok } from './finding.ts';
import type { Check } from './finding.ts';

const OLDEST_GIT = [2, 30] as const;

/** Git makes the mirrors and the work trees. */
export const checkGit: Check = {
  name: 'git',
  mend: 'Install git, and put it on the PATH.',
  async run(signal) {
    const found = await promisify(execFile)('git', ['--version'], { signal }).catch(() => undefined);
    const [version, major, minor] = /(\d+)\.(\d+)[\d.]*/.exec(found?.stdout ?? '') ?? [];
    if (version === undefined) return failed('git was not found.', 'Install git, and put it on the PATH.');
    const isOld = Number(major) < OLDEST_GIT[0] || (Number(major) === OLDEST_GIT[0] && Number(minor) < OLDEST_GIT[1]);
    if (isOld) return failed(`git ${version} is too old.`, `Install git ${OLDEST_GIT.join('.')} or newer.`);
    return ok(version);
  },
};

/** The version this very process runs on. */
export const checkNode: Check = {
  name: 'node',
  mend: 'Install Node 24 or newer.',
  async run() {
    const { node } = process.versions;
    if (Number(node.split('.')[0]) < 24) return failed(`Node ${node} is too old.`, 'Install Node 24 or newer.');
    return ok(node);
  },
};
