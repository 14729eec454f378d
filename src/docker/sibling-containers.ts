import { SandboxUnavailableError } from '../seams/sandbox/sandbox-unavailable-error.ts';
import type { SandboxMode } from '../seams/sandbox/types.ts';
import type { CheckedSandbox } from './check-sandbox.ts';
import type { EgressPolicy } from './egress/egress-policy.ts';
import { openEgress } from './egress/open-egress.ts';
import type { Egress } from './egress/open-egress.ts';
import { sandboxUnavailable } from './errors.ts';
import type { AgentLease, SiblingFlags } from './sandbox.ts';
import type { ContainerSettings } from './sandbox-options.ts';
import { startContainer } from './start-container.ts';
import type { StartedContainer } from './start-container.ts';
import { watchContainer } from './watch-container.ts';
import type { WatchedContainer } from './watch-container.ts';

const MAX_STARTS = 3;
/** Even where the session's own time is up. */
const GIVE_BACK_MS = 600_000;

/**
 * Containers beside a session's own one, for calls with another mode or network: the same image, work tree and `/tmp`,
 * other flags. A confined one with the session's way out is made when it is first needed and kept. One with full access
 * or a way out of its own lasts for one call: nothing that the call left running goes on, and what its root left in the
 * tree is given back before the call ends.
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

  async lease(wanted: SiblingFlags): Promise<AgentLease> {
    const { mode, network } = wanted;
    if (mode === 'danger-full-access' || network) return this.#leaseOnce(wanted);
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

  async #leaseOnce({ mode, network }: SiblingFlags): Promise<AgentLease> {
    const egress = network && (await this.#openEgress(mode, network));
    const settings = { ...this.#settings, mode, ...(egress && { egressDir: egress.folder }) };
    try {
      const container = await this.#start(settings);
      return this.#leaseOf(container, async () => {
        try {
          await (mode === 'danger-full-access' ? this.#takeBack(container) : ended(container));
        } finally {
          await egress?.close();
        }
      });
    } catch (cause) {
      await egress?.close();
      throw cause;
    }
  }

  #leaseOf({ agent }: WatchedContainer, end: () => Promise<void>): AgentLease {
    let released: Promise<void> | undefined;
    const release = () => (released ??= end().finally(() => this.#releases.delete(release)));
    this.#releases.add(release);
    return { agent, release };
  }

  #openEgress(mode: SandboxMode, network: EgressPolicy['network']): Promise<Egress> {
    const { callEgress } = this.#settings;
    if (!callEgress) throw new SandboxUnavailableError(mode, `network ${network} cannot be opened in this session`);
    const { hosts, ...options } = callEgress;
    return openEgress({ ...options, policy: { network, hosts } });
  }

  /** By a fresh agent: the one that ran the call was of the same root as its commands. */
  async #takeBack(container: WatchedContainer): Promise<void> {
    try {
      await ended(container);
      const { gitDir: _git, spillDir: _spill, egressDir: _egress, ...bare } = this.#settings;
      const limits = { ...bare.limits, lifetimeMs: GIVE_BACK_MS };
      const fresh = await this.#launch({ ...bare, limits, mode: 'danger-full-access' });
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

async function ended({ agent, removed }: WatchedContainer): Promise<void> {
  agent.lose('its call has ended');
  await removed;
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
