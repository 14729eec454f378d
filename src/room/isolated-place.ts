import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Room, RoomOptions } from '../bot/job/room.ts';
import type { Checkout } from '../github/git/checkout.ts';
import { openSecondTree } from '../github/tree/second-tree.ts';
import { readTreePatch } from '../github/tree/tree-patch.ts';
import type { Agent, AgentHandle, CreateAgentOptions } from '../harness/agent/types.ts';
import { removeFolder } from '../remove-folder.ts';
import type { SubagentPatch } from '../seams/subagent/types.ts';
import type { OpenWorkPlace, WorkPlace } from '../seams/subagent/work-place.ts';
import type { QuietTree } from './quiet-tree.ts';

export interface IsolatedParts {
  /** Of trees that a sweep takes away once the worker in their name is dead. */
  readonly folder: string;
  readonly boot: string;
  readonly openRoom: (options: RoomOptions) => Promise<Room>;
  /** Nothing writes to the parent's tree once it answers. */
  readonly quiet: QuietTree;
}

/**
 * Gives each child of a session a second tree with what the session's own holds, and a room on it: kernel, container and log
 * of its own, under the same store, models and limits (docs/spec/subagent.md, N2).
 */
export function isolatedPlaces(parent: RoomOptions, { folder, boot, openRoom, quiet }: IsolatedParts): OpenWorkPlace {
  return async (agent, _child, signal) => {
    await quiet(agent, signal);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const own = await mkdtemp(join(folder, `${boot}.`));
    try {
      const checkout = await openSecondTree(parent.checkout, own, signal);
      return new IsolatedPlace({ parent, agent, checkout, folder: own, openRoom });
    } catch (error) {
      await removeFolder(own);
      throw error;
    }
  };
}

interface PlaceParts extends Pick<IsolatedParts, 'folder' | 'openRoom'> {
  readonly parent: RoomOptions;
  readonly agent: Agent;
  readonly checkout: Checkout;
}

class IsolatedPlace implements WorkPlace {
  readonly #parts: PlaceParts;
  #room: Promise<Room> | undefined;
  readonly #leave: () => void | Promise<void>;

  constructor(parts: PlaceParts) {
    this.#parts = parts;
    // No later than its parent.
    this.#leave = parts.agent.ctx.effect(() => () => this.#end(), 'tree of an isolated child');
  }

  async create(child: CreateAgentOptions): Promise<AgentHandle> {
    const { parent, checkout, openRoom } = this.#parts;
    const { title: _title, setUpChild: _setUpChild, ...options } = parent;
    this.#room = openRoom({
      ...options,
      checkout,
      child,
      session: child.sessionId,
      approvalPolicy: 'never',
      config: { ...parent.config, subagents: false },
      signal: child.signal ?? parent.signal,
      setUp: () => {},
    });
    return (await this.#room).handle;
  }

  async collect(): Promise<SubagentPatch | undefined> {
    const { parent, checkout } = this.#parts;
    const patch = await readTreePatch(parent.checkout, checkout);
    return patch && { ...patch, leftOut: patch.leftOut.map(({ path, reason }) => `${path} (${reason})`) };
  }

  async close(): Promise<void> {
    await this.#leave();
  }

  async #end(): Promise<void> {
    try {
      const room = await this.#room?.catch(() => undefined);
      await room?.close();
    } finally {
      await removeFolder(this.#parts.folder);
    }
  }
}
