import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { SetupReport, SetupRequest } from '../bot/job/setup-report.ts';
import { checkSandbox } from '../docker/check-sandbox.ts';
import { RequestLog } from '../docker/egress/request-log.ts';
import { placePaths } from '../docker/setup/place-paths.ts';
import { planSetup } from '../docker/setup/plan-setup.ts';
import { runSetup } from '../docker/setup/run-setup.ts';
import type { SetupFailure, SetupOptions } from '../docker/setup/run-setup.ts';
import { SetupCache } from '../docker/setup/setup-cache.ts';
import { SETUP_TREES } from '../docker/sweep/sweep-drafts.ts';
import { keepIgnored, listIgnored } from '../github/git/ignored-files.ts';
import { lockfileDigest } from '../github/git/lockfile-digest.ts';
import { resolveRef } from '../github/git/mirror.ts';
import { writeWorkTree } from '../github/git/write-work-tree.ts';
import { removeFolder } from '../remove-folder.ts';
import { sandboxEnvironment, sandboxLimits } from './sandbox-limits.ts';

/** Folder below the data directory in which setup works and keeps its results. */
export const SETUP = 'setup';

export interface SetupParts {
  readonly docker: Docker;
  readonly image: string;
  readonly dataDir: string;
  /** Where the sockets of network proxies are made. */
  readonly socketFolder: string;
  /** Names one life of this worker, for the sweep of what it left. */
  readonly boot: string;
  readonly now: () => Date;
  readonly log: (message: string, error?: unknown) => void;
}

/**
 * Gives a fresh work tree the dependencies that the configured setup brings (C6): a copy of what an earlier run left, or
 * a run in a tree and container of its own, since setup has a network and the turn has none.
 */
export async function setUpTree(request: SetupRequest, parts: SetupParts): Promise<SetupReport | undefined> {
  if (request.config.setup.commands.length === 0) return undefined;
  const log = new RequestLog();
  try {
    const told = await prepare({ request, parts, log });
    return { outcome: 'ready', ...told, requests: log.take() };
  } catch (error) {
    request.signal.throwIfAborted();
    parts.log(`setup of ${request.session} failed`, error);
    const reason = `Setup could not run: ${(error as Error).message}`;
    return { outcome: 'failed', reason, requests: log.take() };
  }
}

interface Setup {
  readonly request: SetupRequest;
  readonly parts: SetupParts;
  readonly log: RequestLog;
}
type Told = Partial<Pick<SetupReport, 'outcome' | 'reason' | 'output'>>;

async function prepare(setup: Setup): Promise<Told> {
  const { checkout, profile, signal } = setup.request;
  const { gitDir } = checkout.mirror;
  const baseSha = await baseCommit(setup.request);
  const base = baseSha && (await lockfileDigest(gitDir, baseSha, signal));
  const head = await lockfileDigest(gitDir, checkout.headSha, signal);
  switch (planSetup({ isTrusted: profile === 'trusted', base, head })) {
    case 'left out':
      return { outcome: 'left out', reason: LEFT_OUT };
    case 'head':
      return runOnHead(setup);
    case 'base':
      return takeFromBase(setup, { sha: baseSha!, lockfiles: head });
  }
}

const LEFT_OUT =
  'No setup ran: this head asks for other dependencies than its base, and is not trusted to install them.';

/** The head of the branch that the work goes into; our own branch's commits are not that, though we work on them. */
async function baseCommit({ checkout, baseBranch, signal }: SetupRequest): Promise<string | undefined> {
  const ref = `refs/heads/${baseBranch}`;
  if (checkout.ref === ref) return checkout.headSha;
  return checkout.ref.startsWith('refs/pull/') ? checkout.baseSha : resolveRef(checkout.mirror, ref, signal);
}

async function takeFromBase(setup: Setup, { sha, lockfiles }: { sha: string; lockfiles: string }): Promise<Told> {
  const { request, parts } = setup;
  const { checkout, config, baseBranch, signal } = request;
  const { docker, image, dataDir, boot, now } = parts;
  const cache = new SetupCache(join(dataDir, SETUP, String(checkout.mirror.repository.id)), boot);
  const { imageId } = await checkSandbox(docker, { image });
  const key = { image: imageId, branch: baseBranch, commands: config.setup.commands, lockfiles };
  const failed = (await cache.find(key))
    ? undefined
    : await runOn(sha, setup, (tree, paths) => cache.keep(key, tree, paths));
  if (failed) return failed;
  const kept = (await cache.find(key)) ?? [];
  await cache.copyInto(checkout.workTree, key, await keepIgnored(kept, checkout, signal), now());
  return {};
}

/** What this leaves serves one session, and is gone with its tree. */
async function runOnHead(setup: Setup): Promise<Told> {
  const { checkout, signal } = setup.request;
  const failed = await runOn(checkout.headSha, setup, async (tree, paths) => {
    const ignored = await keepIgnored(paths, checkout, signal);
    await placePaths(ignored, { from: tree, to: checkout.workTree, into: 'work tree', how: 'move' });
  });
  return failed ?? {};
}

/** Runs setup on a commit in a tree that is thrown away; `take` gets the paths of what it left there and git ignores. */
async function runOn(
  sha: string,
  { request, parts, log }: Setup,
  take: (tree: string, paths: readonly string[]) => Promise<void>,
): Promise<Told | undefined> {
  const { checkout, signal } = request;
  const drafts = join(parts.dataDir, SETUP, SETUP_TREES);
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(drafts, `${parts.boot}.`));
  const place = { workTree: join(folder, 'tree'), index: join(folder, 'index') };
  try {
    await mkdir(place.workTree);
    await writeWorkTree(checkout.mirror, { ...place, sha }, signal);
    const failure = await runSetup(await setupOptions(place.workTree, { request, parts, log }));
    if (failure) return told(failure);
    await take(place.workTree, await listIgnored(checkout.mirror, place, signal));
    return undefined;
  } finally {
    await removeFolder(folder);
  }
}

async function setupOptions(tree: string, { request, parts, log }: Setup): Promise<SetupOptions> {
  const { session, checkout, config, signal, onCommand } = request;
  const { docker, image, socketFolder, boot } = parts;
  return {
    ...{ docker, image, tree, gitDir: checkout.gitDir, signal, onCommand, ...config.setup },
    checked: await checkSandbox(docker, { image, runtime: config.sandbox.runtime }),
    labels: { session, installation: String(checkout.mirror.repository.id), boot },
    growthBytes: config.sandbox.growthMb * 1024 ** 2,
    environment: sandboxEnvironment(config),
    ...(config.sandbox.runtime && { runtime: config.sandbox.runtime }),
    limits: { ...sandboxLimits(config), lifetimeMs: config.setup.timeoutMs + 60_000 },
    egress: { folder: socketFolder, policy: { network: 'allow-list', hosts: config.networkHosts }, record: log.add },
  };
}

function told({ command, how, output }: SetupFailure): Told {
  return { outcome: 'failed', reason: `Setup failed: ${command} ${how}.`, output };
}
