import { randomUUID } from 'node:crypto';
import { lchown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { ContainerBashExecutor } from '../../../src/docker/bash/container-bash.ts';
import type { ContainerBashConfig } from '../../../src/docker/bash/container-bash.ts';
import { connectEngine } from '../../../src/docker/engine.ts';
import { ContainerFileSystem } from '../../../src/docker/filesystem/container-file-system.ts';
import { openSandbox } from '../../../src/docker/open-sandbox.ts';
import type { Sandbox } from '../../../src/docker/sandbox.ts';
import type { SandboxOptions } from '../../../src/docker/sandbox-options.ts';

export const IMAGE = process.env['DSH_SANDBOX_IMAGE'] ?? 'dsh-sandbox:local';

/** A real sandbox on a tree of its own. Everything it made is gone after `close`. */
export interface SandboxBench {
  docker: Docker;
  sandbox: Sandbox;
  options: SandboxOptions;
  tree: string;
  bash(config?: ContainerBashConfig): ContainerBashExecutor;
  fs: ContainerFileSystem;
  /** Containers with this bench's session label, whatever their state. */
  containers(): Promise<Docker.ContainerInfo[]>;
  close(): Promise<void>;
}

export async function openBench(
  overrides: Partial<SandboxOptions> = {},
  files: Record<string, string> = {},
): Promise<SandboxBench> {
  const docker = connectEngine(process.env['DOCKER_HOST']);
  const tree = await makeTree(files);
  const labels = { session: `test-${randomUUID()}`, installation: 'test', boot: randomUUID() };
  const options: SandboxOptions = { docker, image: IMAGE, mode: 'workspace-write', tree, labels, ...overrides };
  const sandbox = await openSandbox(options);
  const network = options.egress?.policy.network;
  const handle = { mode: options.mode, ...(network && { network }), sandbox: Promise.resolve(sandbox) };
  const executors: ContainerBashExecutor[] = [];
  return {
    docker,
    sandbox,
    options,
    tree: options.tree,
    bash(config = {}) {
      const bash = new ContainerBashExecutor(handle, { graceMs: 500, ...config });
      executors.push(bash);
      return bash;
    },
    fs: new ContainerFileSystem(handle),
    containers: () => containersOf(docker, options.labels.session),
    async close() {
      await Promise.all(executors.map((bash) => bash.dispose()));
      await sandbox.close().finally(() => rm(tree, { recursive: true, force: true }));
    },
  };
}

export async function makeTree(files: Record<string, string> = {}): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'dsh-tree-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(tree, path, '..'), { recursive: true });
    await writeFile(join(tree, path), content);
  }
  return tree;
}

export function containersOf(docker: Docker, session: string): Promise<Docker.ContainerInfo[]> {
  return docker.listContainers({ all: true, filters: { label: [`dsh.session=${session}`] } });
}

/** Puts what a test makes on the host into the hands of the sandbox's user. */
export async function giveTo(uid: number, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await lchown(path, uid, uid);
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const { name } of entries) await giveTo(uid, join(path, name));
}
