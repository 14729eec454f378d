import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { AgentClient } from './agent-client.ts';
import { checkSandbox } from './check-sandbox.ts';
import type { CheckedSandbox } from './check-sandbox.ts';
import { openEgress } from './egress/open-egress.ts';
import type { Egress } from './egress/open-egress.ts';
import { statusOf } from './engine.ts';
import { sandboxUnavailable } from './errors.ts';
import { SiblingContainers } from './sibling-containers.ts';
import type { AgentLease, Sandbox } from './sandbox.ts';
import type { ContainerSettings, SandboxOptions } from './sandbox-options.ts';
import { startContainer } from './start-container.ts';
import type { StartedContainer } from './start-container.ts';
import { watchContainer } from './watch-container.ts';
import type { WatchedContainer } from './watch-container.ts';
import type { SandboxMode } from '../seams/sandbox/types.ts';

const MAX_RESTARTS = 2;
const GONE = 404;
/** While it is being removed. */
const IN_USE = 409;

/** Opens a session's sandbox. Who opens it closes it. Throws `SANDBOX_UNAVAILABLE` with what to mend. */
export async function openSandbox(options: SandboxOptions, checked?: CheckedSandbox): Promise<Sandbox> {
  const facts = checked ?? (await checkSandbox(options.docker, options));
  const egress = options.egress && (await openEgress(options.egress));
  const settings = { ...options, ...(egress && { egressDir: egress.folder }) };
  try {
    const parts = { mode: options.mode, settings, checked: facts, egress };
    return new DockerSandbox(parts, await startContainer(settings, facts));
  } catch (cause) {
    await egress?.close();
    throw cause;
  }
}

interface SandboxParts {
  readonly mode: Sandbox['mode'];
  readonly settings: ContainerSettings;
  readonly checked: CheckedSandbox;
  readonly egress: Egress | undefined;
}

class DockerSandbox implements Sandbox {
  readonly mode: Sandbox['mode'];
  readonly uid: number;
  readonly #parts: SandboxParts;
  #container: Promise<Standing>;
  #restarts = 0;
  #closing: Promise<void> | undefined;

  constructor(parts: SandboxParts, container: StartedContainer) {
    this.mode = parts.mode;
    this.uid = container.uid;
    this.#parts = parts;
    this.#container = Promise.resolve(this.#standing(container));
  }

  async agent(): Promise<AgentClient> {
    return (await this.#living()).agent;
  }

  async sibling(mode: SandboxMode): Promise<AgentLease> {
    return (await this.#living()).siblings.lease(mode);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #living(): Promise<Standing> {
    if (this.#closing) throw sandboxUnavailable('The sandbox of this session is closed.', 'Start a new turn.');
    const current = this.#container;
    const container = await current;
    if (!container.agent.isLost) return container;
    if (this.#container === current) this.#container = this.#restart(container.agent);
    return this.#living();
  }

  async #restart(lost: AgentClient): Promise<Standing> {
    if (this.#restarts >= MAX_RESTARTS) throw await lost.lost;
    this.#restarts += 1;
    return this.#standing(await startContainer(this.#parts.settings, this.#parts.checked));
  }

  /** Its siblings go with it: they share its `/tmp`. */
  #standing(container: StartedContainer): Standing {
    const { settings, checked } = this.#parts;
    const siblings = new SiblingContainers(container, settings, checked);
    const watched = watchContainer(settings.docker, container);
    const removed = container.agent.lost.then(async () => {
      const outcomes = await Promise.allSettled([siblings.close(), watched.removed]);
      await removeVolume(settings.docker, container.tmpVolume);
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    });
    removed.catch(() => {});
    return { ...container, removed, siblings };
  }

  async #end(): Promise<void> {
    const container = await this.#container.catch(() => undefined);
    container?.agent.lose('it was closed');
    await container?.removed;
    await this.#parts.egress?.close();
    await removeMountPoint(this.#parts.settings);
  }
}

/** The engine has done it with the container, unless a sibling still had it or a person removed the container. */
async function removeVolume(docker: Docker, name: string): Promise<void> {
  await docker
    .getVolume(name)
    .remove()
    .catch((cause: unknown) => {
      if (![GONE, IN_USE].includes(statusOf(cause) ?? 0)) throw cause;
    });
}

/** An empty directory is all that a mounted git directory leaves in the tree; another one stays. */
async function removeMountPoint({ tree, gitDir }: ContainerSettings): Promise<void> {
  if (gitDir !== undefined) await rmdir(join(tree, '.git')).catch(() => {});
}

/** `removed` settles when it and its siblings are gone. */
interface Standing extends WatchedContainer {
  siblings: SiblingContainers;
}
