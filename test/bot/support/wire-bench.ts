import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { END_PROCESSES } from '../../../src/bot/fix/verify/end-processes.ts';
import { layBaseCommand } from '../../../src/bot/fix/verify/lay-base.ts';
import type { JobParts } from '../../../src/bot/job/job-parts.ts';
import type { JobOutcome } from '../../../src/bot/job/job.ts';
import type { Agent } from '../../../src/harness/agent/types.ts';
import type { SessionId } from '../../../src/harness/session/types.ts';
import type { Turn } from '../../../src/publish/progress/surface.ts';
import { WORKSPACE } from '../../../src/room/open-room.ts';
import type { Store } from '../../../src/store/open-store.ts';
import type { HumanRequest } from '../../../src/store/records.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import { PeopleBench, Process } from '../people/people-bench.ts';
import { LONG_COMMANDS } from './long-script.ts';
import { openMemoryRoom } from './memory-room.ts';
import { WireModel } from './wire-model.ts';
import type { WireReply } from './wire-model.ts';

export interface Doing {
  /** Whose answer the turn goes on with. */
  readonly request?: HumanRequest;
  readonly modelName?: string;
  readonly store?: Store;
}
export interface Ran {
  readonly outcome: JobOutcome | Error;
  readonly process: Process;
}

const CONFIG = {
  ...{ park: { afterMs: 10 }, selfReview: { rounds: 1 }, workingWindow: 60_000 },
  ...{ budget: { turn: { steps: 1_000, tokens: 1_000_000_000, minutes: 10_000 } } },
};

/** Processes one after the other over one store, with the product's rooms and a model behind real HTTP. */
export class WireBench {
  readonly people: PeopleBench;
  readonly model: WireModel;
  /** Of the process that runs now. */
  agent: Agent | undefined;
  workTree = '';
  restart: () => void = () => {};
  readonly #folder = mkdtempSync(join(tmpdir(), 'dsh-wire-'));

  static async start(next: (bench: WireBench) => (at: number) => WireReply): Promise<WireBench> {
    let bench: WireBench | undefined;
    const model = await WireModel.start((at) => next(bench!)(at));
    return (bench = new WireBench(await PeopleBench.start(), model));
  }

  private constructor(people: PeopleBench, model: WireModel) {
    this.people = people;
    this.model = model;
  }

  /** Lets a new process do what is asked; each has its own room, adapter and memory. */
  async run(
    turn: Turn,
    { request, modelName = 'deepseek-flash', store = this.people.store }: Doing = {},
  ): Promise<Ran> {
    const { log, ran, now } = this.people;
    const access: PeopleBench['access'] = (redactor) => this.people.access(redactor);
    const process = new SilentProcess({ log, ran, now, store, access }, this.#folder);
    this.restart = () => process.winding.abort();
    const parts = { openRoom: this.#openRoom(store), targetOf: () => ({ provider: 'deepseek', model: modelName }) };
    const opening = request && ({ kind: 'answer', request } as const);
    const call = { issue: 0, script: [], config: CONFIG };
    const outcome = await process.run(turn, call, opening, parts).catch((error: unknown) => error as Error);
    return { outcome, process };
  }

  /** What the session's turn goes on with. */
  async answer(session: SessionId, { process }: Ran, text: string): Promise<HumanRequest> {
    const [open] = await this.people.requests.openOf(session);
    return (await process.settle(open!, { value: { kind: 'text', text } })).wakes!;
  }

  async close(): Promise<void> {
    await this.model.close();
    await this.people.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #openRoom(store: Store): JobParts['openRoom'] {
    return async (options) => {
      this.workTree = options.checkout.workTree;
      const host = [END_PROCESSES, 'git --version', layBaseCommand(options.checkout.headSha, WORKSPACE)];
      const commands = { ...Object.fromEntries(host.map((command) => [command, {}])), ...LONG_COMMANDS };
      const bash = new MemoryBash(commands, { mode: 'workspace-write' });
      const parts = { persistence: store.persistence(), spillDir: this.#folder };
      const room = await openMemoryRoom(options, this.model.adapter(), bash, parts);
      this.agent = room.handle.agent;
      return room;
    };
  }
}

/** One that tells nobody how it goes. */
class SilentProcess extends Process {
  override get surface(): never {
    const nothing = async () => {};
    const progress = { changed: () => {}, end: nothing, leave: () => {} };
    return { accepted: nothing, refused: nothing, replied: nothing, openProgress: async () => progress } as never;
  }
}
