import type { SandboxMode } from '../seams/sandbox/types.ts';
import type { CheckedSandbox } from './check-sandbox.ts';
import { sandboxUnavailable } from './errors.ts';
import type { AgentLease } from './sandbox.ts';
import type { ContainerSettings } from './sandbox-options.ts';
import { startContainer } from './start-container.ts';
import type { StartedContainer } from './start-container.ts';
import { watchContainer } from './watch-container.ts';
import type { WatchedContainer } from './watch-container.ts';

const MAX_STARTS = 3;

/**
 * Containers beside a session's own one, for calls with another mode: the same image, work tree, `/tmp` and way out,
 * other flags. A confined one is made when it is first needed and kept. One with full access lasts for one call: what
 * its root left behind, running or in the tree, is gone or given back before the call ends.
 */
export class SiblingContainers {
  readonly #standing: StartedContainer;
  readonly #settings: ContainerSettings;
  readonly #checked: CheckedSandbox;
  readonly #kept = new Map<SandboxMode, Promise<WatchedContainer>>();
  readonly #starts = new Map<SandboxMode, number>();
  readonly #started: Promise<WatchedContainer>[] = [];
  readonly #releases = new Set<() => Promise<void>>();
  #closing: Promise<void> | undefined;

  constructor(standing: StartedContainer, settings: ContainerSettings, checked: CheckedSandbox) {
    this.#standing = standing;
    this.#settings = settings;
    this.#checked = checked;
  }

  async lease(mode: SandboxMode): Promise<AgentLease> {
    if (mode === 'danger-full-access') return this.#leaseOnce();
    const { agent } = await this.#keep(mode);
    return { agent, release: async () => {} };
  }

  /** Ends them all, and gives back what has not been yet. */
  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  #keep(mode: SandboxMode): Promise<WatchedContainer> {
    const known = this.#kept.get(mode);
    if (known) return known;
    const count = (this.#starts.get(mode) ?? 0) + 1;
    if (count > MAX_STARTS) throw lostTooOften(mode);
    this.#starts.set(mode, count);
    const starting = this.#start({ ...this.#settings, mode });
    this.#kept.set(mode, starting);
    const forget = () => void this.#kept.delete(mode);
    starting.then(({ agent }) => agent.lost).then(forget, forget);
    return starting;
  }

  async #leaseOnce(): Promise<AgentLease> {
    const container = await this.#start({ ...this.#settings, mode: 'danger-full-access' });
    let released: Promise<void> | undefined;
    const release = () => (released ??= this.#takeBack(container).finally(() => this.#releases.delete(release)));
    this.#releases.add(release);
    return { agent: container.agent, release };
  }

  /** By a fresh agent: the one that ran the call was of the same root as its commands. */
  async #takeBack(container: WatchedContainer): Promise<void> {
    try {
      container.agent.lose('its call has ended');
      await container.removed;
      const { gitDir: _git, spillDir: _spill, egressDir: _egress, ...bare } = this.#settings;
      const fresh = await this.#launch({ ...bare, mode: 'danger-full-access' });
      try {
        await fresh.agent.call({ op: 'give-back', owner: this.#standing.uid });
      } finally {
        fresh.agent.lose('its work is done');
        await fresh.removed;
      }
    } catch (cause) {
      throw notGivenBack(cause);
    }
  }

  #start(settings: ContainerSettings): Promise<WatchedContainer> {
    if (this.#closing) throw sandboxUnavailable('The sandbox of this session is closed.', 'Start a new turn.');
    const starting = this.#launch(settings);
    this.#started.push(starting);
    starting.catch(() => {});
    return starting;
  }

  async #launch(settings: ContainerSettings): Promise<WatchedContainer> {
    const { uid: owner, tmpVolume } = this.#standing;
    const siblingOf = { owner, tmpVolume };
    return watchContainer(settings.docker, await startContainer({ ...settings, siblingOf }, this.#checked));
  }

  async #end(): Promise<void> {
    const containers = await Promise.all(this.#started.map((starting) => starting.catch(() => undefined)));
    for (const container of containers) container?.agent.lose('it was closed');
    await Promise.all(containers.flatMap((container) => (container ? [container.removed] : [])));
    await Promise.all([...this.#releases].map((release) => release()));
  }
}

function lostTooOften(mode: SandboxMode) {
  return sandboxUnavailable(
    `The sandbox for ${mode} calls was lost ${MAX_STARTS} times.`,
    'See the log of the Docker engine, and what the commands do to their container.',
  );
}

function notGivenBack(cause: unknown) {
  return sandboxUnavailable(
    `What a call with full access left in the work tree could not be given back to its owner: ${(cause as Error).message}`,
    'Start a new turn: it begins with a fresh work tree.',
    cause,
  );
}
