import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { installPackages, isProgramPresent } from './install-packages.ts';

export const SANDBOX_IMAGE = 'dsh-sandbox:local';
const RECIPE_LABEL = 'dsh.recipe';
const PULL_LIMIT_MS = 300_000;
const SUITE = 'bookworm';
const PACKAGES = ['ca-certificates', 'git', 'libstdc++6', 'procps', 'python3-minimal', 'ripgrep'];
const OWN_NODE = 'node and npm of this machine';
const DOCKERFILE = join(import.meta.dirname, '../../Dockerfile');

/**
 * Makes sure the tools image is there: built from our Dockerfile where its base can be pulled, else a Debian of
 * packages only. Either way a change of the recipe makes it anew.
 */
export async function ensureSandboxImage(docker: Docker, cacheDir: string, say: (line: string) => void): Promise<void> {
  const recipes = {
    dockerfile: digest(readFileSync(DOCKERFILE, 'utf8')),
    debian: digest([SUITE, ...PACKAGES, OWN_NODE, process.version].join(' ')),
  };
  const present = await recipeOf(docker, SANDBOX_IMAGE);
  if (present !== undefined && Object.values(recipes).includes(present)) return;

  const refusal = await pullBase(docker, say);
  if (refusal === undefined) return buildFromDockerfile(docker, recipes.dockerfile, say);
  say(`no base image can be pulled (${refusal}); making one from Debian packages`);
  await importDebian(docker, cacheDir, recipes.debian, say);
}

async function recipeOf(docker: Docker, image: string): Promise<string | undefined> {
  try {
    return (await docker.getImage(image).inspect()).Config.Labels?.[RECIPE_LABEL];
  } catch (cause) {
    if ((cause as { statusCode?: number }).statusCode === 404) return undefined;
    throw cause;
  }
}

/** Answers why the base could not be pulled, or nothing when it is there. */
async function pullBase(docker: Docker, say: (line: string) => void): Promise<string | undefined> {
  const base = /^ARG SANDBOX_BASE=(\S+)/m.exec(readFileSync(DOCKERFILE, 'utf8'))?.[1];
  if (base === undefined) throw new Error('the Dockerfile names no SANDBOX_BASE');
  say(`pulling ${base}`);
  try {
    const stream = await docker.pull(base, { abortSignal: AbortSignal.timeout(PULL_LIMIT_MS) });
    await followed(docker, stream);
    return undefined;
  } catch (cause) {
    return Error.isError(cause) ? cause.message.trim() : String(cause);
  }
}

async function buildFromDockerfile(docker: Docker, recipe: string, say: (line: string) => void): Promise<void> {
  say(`building ${SANDBOX_IMAGE} (target sandbox of the Dockerfile)`);
  const context = { context: join(DOCKERFILE, '..'), src: ['Dockerfile'] };
  const stream = await docker.buildImage(context, {
    t: SANDBOX_IMAGE,
    target: 'sandbox',
    labels: { [RECIPE_LABEL]: recipe },
  });
  await followed(docker, stream);
}

async function importDebian(
  docker: Docker,
  cacheDir: string,
  recipe: string,
  say: (line: string) => void,
): Promise<void> {
  const tarball = join(cacheDir, `debian-${recipe}.tar`);
  if (!existsSync(tarball)) bootstrapDebian(tarball, say);
  const [repo, tag] = SANDBOX_IMAGE.split(':');
  const changes = [
    `LABEL ${RECIPE_LABEL}=${recipe}`,
    'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ];
  const stream = await docker.importImage(createReadStream(tarball) as unknown as string, { repo, tag, changes });
  await followed(docker, stream as unknown as NodeJS.ReadableStream);
  say(`imported ${SANDBOX_IMAGE}`);
}

function bootstrapDebian(tarball: string, say: (line: string) => void): void {
  if (!isProgramPresent('debootstrap')) installPackages(['debootstrap'], say);
  say(`debootstrap ${SUITE} with ${PACKAGES.join(', ')} (about a minute, once)`);
  const rootfs = `${tarball}.rootfs`;
  rmSync(rootfs, { recursive: true, force: true });
  mkdirSync(rootfs, { recursive: true });
  run('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, SUITE, rootfs]);
  for (const left of ['var/cache/apt/archives', 'var/lib/apt/lists', 'var/log']) {
    rmSync(join(rootfs, left), { recursive: true, force: true });
    mkdirSync(join(rootfs, left), { recursive: true });
  }
  addNode(rootfs);
  run('tar', ['-C', rootfs, '--numeric-owner', '-cf', `${tarball}.part`, '.']);
  renameSync(`${tarball}.part`, tarball);
  rmSync(rootfs, { recursive: true });
}

/** Debian's own Node is old and its npm drags in hundreds of packages: the ones this script runs by are here already. */
function addNode(rootfs: string): void {
  const [bin, modules] = [join(rootfs, 'usr/local/bin'), join(rootfs, 'usr/local/lib/node_modules')];
  mkdirSync(modules, { recursive: true });
  copyFileSync(process.execPath, join(bin, 'node'));
  chmodSync(join(bin, 'node'), 0o755);
  cpSync(join(npmCli(), '../..'), join(modules, 'npm'), { recursive: true, dereference: true });
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name));
}

/** Inside an npm script npm says where it is; elsewhere the one on the path is taken. */
function npmCli(): string {
  const told = process.env['npm_execpath'];
  if (told?.endsWith('npm-cli.js')) return realpathSync(told);
  const { stdout } = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' });
  return realpathSync(stdout.trim());
}

function run(program: string, args: string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${program} failed:\n${(stdout + stderr).slice(-2_000)}`);
}

function followed(docker: Docker, stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(stream, (error, steps) => {
      const failed = (steps as { error?: string }[] | undefined)?.find((step) => step.error !== undefined);
      if (error ?? failed) reject(error ?? new Error(failed?.error));
      else resolve();
    });
  });
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
