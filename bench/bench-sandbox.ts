import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContainerBashExecutor } from '../src/docker/bash/container-bash.ts';
import { DEFAULT_SANDBOX_IMAGE } from '../src/docker/default-image.ts';
import { connectEngine } from '../src/docker/engine.ts';
import { openSandbox } from '../src/docker/open-sandbox.ts';

export interface BenchSandbox {
  readonly containerId: string;
  /** Milliseconds from asking for the container to the agent's first word. */
  readonly readyMs: number;
  run(command: string): Promise<unknown>;
  close(): Promise<void>;
}

/** A sandbox on an empty work tree, as a session has it. */
export async function openBenchSandbox(): Promise<BenchSandbox> {
  const docker = connectEngine(process.env['DOCKER_HOST']);
  const tree = await mkdtemp(join(tmpdir(), 'dsh-bench-tree-'));
  const session = `bench-${randomUUID()}`;
  const startedAt = performance.now();
  const sandbox = await openSandbox({
    docker,
    image: process.env['DSH_SANDBOX_IMAGE'] ?? DEFAULT_SANDBOX_IMAGE,
    mode: 'workspace-write',
    tree,
    labels: { session, installation: 'bench', boot: 'bench' },
  });
  const readyMs = performance.now() - startedAt;
  const bash = new ContainerBashExecutor({ mode: 'workspace-write', sandbox: Promise.resolve(sandbox) });
  const policy = { mode: 'workspace-write' as const, workspaceRoot: '/workspace' };
  const [container] = await docker.listContainers({ filters: { label: [`dsh.session=${session}`] } });
  return {
    containerId: container?.Id ?? '',
    readyMs,
    run: (command) => bash.run(bash.resolve({ command, workdir: '/workspace', sandboxPolicy: policy })),
    close: async () => {
      await bash.dispose();
      await sandbox.close();
      await rm(tree, { recursive: true, force: true });
    },
  };
}
