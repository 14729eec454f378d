import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentClient } from './agent-client.ts';
import { checkSandbox } from './check-sandbox.ts';
import type { CheckedSandbox } from './check-sandbox.ts';
import { openEgress } from './egress/open-egress.ts';
import type { Egress } from './egress/open-egress.ts';
import { sandboxUnavailable } from './errors.ts';
import { removeContainer } from './remove-container.ts';
import type { Sandbox } from './sandbox.ts';
import type { ContainerSettings, SandboxOptions } from './sandbox-options.ts';
import { startContainer } from './start-container.ts';
import type { StartedContainer } from './start-container.ts';

const MAX_RESTARTS = 2;

/** Opens a session's sandbox. Who opens it closes it. Throws `SANDBOX_UNAVAILABLE` with what to mend. */
export async function openSandbox(options: SandboxOptions, checked?: CheckedSandbox): Promise<Sandbox> {
  const facts = checked ?? (await checkSandbox(options.docker, options));
  const egress = options.egress && (await openEgress(options.egress));
  const settings = { ...options, ...(egress && { egressDir: egress.folder }) };
  try {
    return new DockerSandbox({ settings, checked: facts, egress }, await startContainer(settings, facts));
  } catch (cause) {
    await egress?.close();
    throw cause;
  }
}

interface SandboxParts {
  readonly settings: ContainerSettings;
  readonly checked: CheckedSandbox;
  readonly egress: Egress | undefined;
}

class DockerSandbox implements Sandbox {
  readonly mode: Sandbox['mode'];
  readonly uid: number;
  readonly #parts: SandboxParts;
  #container: Promise<Watched>;
  #restarts = 0;
  #closing: Promise<void> | undefined;

  constructor(parts: SandboxParts, container: StartedContainer) {
    this.mode = parts.settings.mode;
    this.uid = container.uid;
    this.#parts = parts;
    this.#container = Promise.resolve(this.#watched(container));
  }

  async agent(): Promise<AgentClient> {
    if (this.#closing) throw sandboxUnavailable('The sandbox of this session is closed.', 'Start a new turn.');
    const current = this.#container;
    const { agent } = await current;
    if (!agent.isLost) return agent;
    if (this.#container === current) this.#container = this.#restart(agent);
    return this.agent();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #restart(lost: AgentClient): Promise<Watched> {
    if (this.#restarts >= MAX_RESTARTS) throw await lost.lost;
    this.#restarts += 1;
    return this.#watched(await startContainer(this.#parts.settings, this.#parts.checked));
  }

  /** A lost agent's container may still run what it was told, so it is removed at once. */
  #watched(container: StartedContainer): Watched {
    const removed = container.agent.lost.then(() =>
      removeContainer(this.#parts.settings.docker.getContainer(container.id)),
    );
    removed.catch(() => {});
    return { ...container, removed };
  }

  async #end(): Promise<void> {
    const container = await this.#container.catch(() => undefined);
    container?.agent.lose('it was closed');
    await container?.removed;
    await this.#parts.egress?.close();
    await removeMountPoint(this.#parts.settings);
  }
}

/** An empty directory is all that a mounted git directory leaves in the tree; another one stays. */
async function removeMountPoint({ tree, gitDir }: ContainerSettings): Promise<void> {
  if (gitDir !== undefined) await rmdir(join(tree, '.git')).catch(() => {});
}

interface Watched extends StartedContainer {
  removed: Promise<void>;
}
