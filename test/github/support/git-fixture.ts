import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openCheckout, type Checkout } from '../../../src/github/git/checkout.ts';
import type { CheckoutTarget } from '../../../src/github/git/resolve-target.ts';
import type { MirrorSettings } from '../../../src/github/git/mirror.ts';

export type Content = string | Uint8Array | { link: string } | { script: string } | undefined;

/** A repository on disk that stands in for the one on GitHub, with a work tree to commit from. */
export class GitFixture {
  readonly root = mkdtempSync(join(tmpdir(), 'dsh-git-'));
  readonly origin = join(this.root, 'origin');
  readonly dataDir = join(this.root, 'data');
  cloneUrl = this.origin;

  constructor(branch = 'main') {
    mkdirSync(this.origin);
    this.git('init', '--quiet', `--initial-branch=${branch}`);
  }

  git(...args: string[]): string {
    return runGit(this.origin, ...args);
  }

  /** Writes, commits everything, answers the commit's id. */
  commit(files: Record<string, Content>, message = 'change'): string {
    writeFiles(this.origin, files);
    this.git('add', '--all', '--force');
    this.git('commit', '--quiet', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  get repository() {
    return {
      id: 7,
      owner: 'acme',
      repo: 'shop',
      cloneUrl: this.cloneUrl,
      defaultBranch: 'main',
      sizeMb: 1,
      isPrivate: false,
      archived: false,
    };
  }

  async open(
    target: CheckoutTarget = { kind: 'branch' },
    { session = 's1', ...settings }: Partial<MirrorSettings> & { session?: string; defaultBranch?: string } = {},
  ): Promise<Checkout> {
    const repository = { ...this.repository, defaultBranch: settings.defaultBranch ?? 'main' };
    return await openCheckout({ repository, target, session, settings: { dataDir: this.dataDir, ...settings } });
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function runGit(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    env: GIT_ENV,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}

export const GIT_ENV = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

/** `undefined` deletes. */
export function writeFiles(root: string, files: Record<string, Content>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    rmSync(file, { recursive: true, force: true });
    if (content === undefined) continue;
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(file, content);
    else if ('link' in content) symlinkSync(content.link, file);
    else writeFileSync(file, content.script);
    if (typeof content === 'object' && 'script' in content) chmodSync(file, 0o755);
  }
}
