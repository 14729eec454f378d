import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { AgentClient } from './agent-client.ts';
import { checkSandbox } from './check-sandbox.ts';
import type { CheckedSandbox } from './check-sandbox.ts';
import { openEgress } from './egress/open-egress.ts';
import type { Egress } from './egress/open-egress.ts';
import { statusOf } from './engine.ts';
import { sandboxUnavailable } from './errors.ts';
import { SiblingContainers } from './sibling-containers.ts';
import type { AgentLease, Sandbox, SiblingFlags } from './sandbox.ts';
import { SANDBOX_LIMITS } from './sandbox-options.ts';
import type { ContainerSettings, SandboxOptions } from './sandbox-options.ts';
import { startContainer } from './start-container.ts';
import type { StartedContainer } from './start-container.ts';
import { watchContainer } from './watch-container.ts';
import type { WatchedContainer } from './watch-container.ts';

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
  readonly gone: Promise<Error>;
  readonly #parts: SandboxParts;
  readonly #goner = Promise.withResolvers<Error>();
  readonly #endsAt: number;
  readonly #removals: Promise<void>[] = [];
  #container: Promise<Standing>;
  #restarts = 0;
  #closing: Promise<void> | undefined;

  constructor(parts: SandboxParts, container: StartedContainer) {
    this.mode = parts.mode;
    this.uid = container.uid;
    this.#parts = parts;
    this.gone = this.#goner.promise;
    this.#endsAt = performance.now() + lifetimeOf(parts.settings);
    this.#container = Promise.resolve(this.#standing(container));
  }

  async agent(): Promise<AgentClient> {
    return (await this.#living()).agent;
  }

  async sibling(wanted: SiblingFlags): Promise<AgentLease> {
    return (await this.#living()).siblings.lease(wanted);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #living(): Promise<Standing> {
    if (this.#closing) throw sandboxUnavailable('The sandbox of this session is closed.', 'Start a new turn.');
    const current = this.#container;
    const container = await current;
    if (!container.agent.isLost) return container;
    if (this.#container === current) this.#container = this.#restart(container);
    return this.#living();
  }

  /** Not before the other one is gone, and what it ran: nothing of it may go on beside the next. */
  async #restart(lost: Standing): Promise<Standing> {
    if (this.#isSpent()) throw await lost.agent.lost;
    this.#restarts += 1;
    const { settings, checked } = this.#parts;
    const limitMs = settings.limits?.startMs ?? SANDBOX_LIMITS.startMs;
    await Promise.race([lost.removed.catch(() => {}), sleep(limitMs, undefined, { ref: false })]);
    try {
      return this.#standing(await startContainer(limitedTo(this.#endsAt, settings), checked));
    } catch (cause) {
      this.#goner.resolve(cause as Error);
      throw cause;
    }
  }

  /** The wall limit is the session's: another container gets what is left of it. */
  #isSpent(): boolean {
    return this.#restarts >= MAX_RESTARTS || performance.now() >= this.#endsAt;
  }

  /** Its siblings go with it: they share its `/tmp`. */
  #standing(container: StartedContainer): Standing {
    const { settings, checked } = this.#parts;
    const siblings = new SiblingContainers(container, limitedTo(this.#endsAt, settings), checked);
    const watched = watchContainer(settings.docker, container);
    const removed = container.agent.lost.then(async () => {
      const outcomes = await Promise.allSettled([siblings.close(), watched.removed]);
      await removeVolume(settings.docker, container.tmpVolume);
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    });
    removed.catch(() => {});
    this.#removals.push(removed);
    void container.agent.lost.then((reason) => {
      if (!this.#closing && this.#isSpent()) this.#goner.resolve(reason);
    });
    return { ...container, removed, siblings };
  }

  async #end(): Promise<void> {
    const container = await this.#container.catch(() => undefined);
    container?.agent.lose('it was closed');
    await Promise.all(this.#removals);
    await this.#parts.egress?.close();
    await removeMountPoint(this.#parts.settings);
  }
}

function lifetimeOf({ limits }: ContainerSettings): number {
  return limits?.lifetimeMs ?? SANDBOX_LIMITS.lifetimeMs;
}

function limitedTo(endsAt: number, settings: ContainerSettings): ContainerSettings {
  const lifetimeMs = Math.max(1, Math.ceil(endsAt - performance.now()));
  return { ...settings, limits: { ...settings.limits, lifetimeMs } };
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
