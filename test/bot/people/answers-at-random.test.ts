import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RoomOptions } from '../../../src/bot/job/room.ts';
import { sessionIdOf } from '../../../src/bot/session/session-id.ts';
import type { HumanRequest } from '../../../src/store/records.ts';
import { ownBoxes } from '../../../src/publish/request/own-boxes.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { NAME, PeopleBench } from './people-bench.ts';
import type { Answering, Process } from './people-bench.ts';

let b: PeopleBench;
beforeAll(async () => {
  b = await PeopleBench.start();
});
afterAll(() => b.close());

const HOUR = 3_600_000;
const YES: Answering = { value: { kind: 'approve' } };
const NO: Answering = { value: { kind: 'deny', reason: 'no' }, by: 'otto' };
const READER: Answering = { ...YES, by: 'rita', permission: 'read' };
const TICK: Answering = { value: { kind: 'boxes', ticked: [0], checked: [0] }, how: 'box' };
const BOTH: Answering = { value: { kind: 'boxes', ticked: [0], checked: [0, 1] }, how: 'box', by: 'otto' };

/** Two processes and their people, who do what `next` says; turns of the session run one at a time, as under its lease. */
class Crowd {
  readonly #next: () => number;
  readonly processes: readonly [Process, Process] = [b.process(), b.process()];
  readonly doing: Promise<unknown>[] = [];
  readonly trace: string[] = [];
  #lease: Promise<unknown> = Promise.resolve();
  #rooms = 0;

  constructor(seed: number) {
    let state = seed;
    this.#next = () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#next() * list.length)]!;
  }

  async begin(): Promise<{ issue: number; request: HumanRequest }> {
    const issue = await b.openIssue();
    const afterMs = this.pick([0, 0, 5, 20, 60_000]);
    const call = { issue, script: [], config: { park: { afterMs } } };
    const turn = await b.turn(call);
    this.trace.push(`parked after ${afterMs}`);
    this.#run((process) => process.run(turn, call, undefined, this.#parts(process)));
    return { issue, request: await b.asked(sessionIdOf(turn.reading)) };
  }

  /** The first room's model makes the call, and all others end. */
  #parts(process: Process) {
    const done = [says('done'), says('done')];
    const script = () => (this.#rooms++ === 0 ? [calls('act', { n: 1 }, 'c-act'), ...done] : done);
    return { openRoom: (options: RoomOptions) => process.openRoom(options, script()) };
  }

  #run(work: (process: Process) => Promise<unknown>): void {
    const process = this.pick(this.processes);
    this.#lease = this.#lease.then(() => work(process)).catch((error: unknown) => b.log.push(error));
  }

  async settle(request: HumanRequest, answering: Answering): Promise<void> {
    const { wakes } = await this.pick(this.processes).settle(request, answering);
    const { turn } = request.job as unknown as { turn: Parameters<Process['run']>[0] };
    const call = { issue: 0, script: [] };
    if (wakes) this.#run((one) => one.run(turn, call, { kind: 'answer', request: wakes }, this.#parts(one)));
  }

  async act(request: HumanRequest): Promise<void> {
    const what = this.pick([
      'yes',
      'no',
      'reader',
      'tick',
      'both ticks',
      'at once',
      'withdraw',
      'thumb',
      'time',
    ] as const);
    this.trace.push(what);
    switch (what) {
      case 'withdraw':
        return this.#withdraw(request, this.pick(this.processes));
      case 'thumb':
        return b.github.react(NAME, { comment: request.commentId! }, { by: 'otto', content: this.pick(['+1', '-1']) });
      case 'time':
        return void (b.later += this.pick([0, 12, 25]) * HOUR);
      case 'at once':
        return void (await Promise.all([this.settle(request, YES), this.settle(request, NO)]));
      default:
        return this.settle(request, { yes: YES, no: NO, reader: READER, tick: TICK, 'both ticks': BOTH }[what]);
    }
  }

  async #withdraw({ session, repo }: HumanRequest, process: Process): Promise<void> {
    await process.people.withdraw(session, this.pick(['closed', 'stopped']), process.place(repo));
    await process.live.of(session)?.stop();
  }

  /** Somebody answers when the time is over, whatever happened before, and all of it comes to its end. */
  async end(request: HumanRequest): Promise<void> {
    b.later += 25 * HOUR;
    await this.settle(request, YES);
    for (const { live } of this.processes) live.of(request.session)?.settled(request.id);
    await Promise.all(this.doing);
    await this.#lease;
  }
}

describe('bot-human-loop', () => {
  it.each([7, 11, 12, 21, 26, 30, 54, 101])(
    'A3 A7 K2 S3 whatever people do, in whatever order, it is decided once and done at most once (seed %i)',
    async (seed) => {
      b.later = 0;
      b.ran.length = 0;
      const crowd = new Crowd(seed);
      const { issue, request } = await crowd.begin();
      for (let step = 0; step < 5; step++) {
        const acting = crowd.act(request);
        crowd.doing.push(acting);
        await Promise.race([acting, new Promise((resolve) => setTimeout(resolve, crowd.pick([0, 1, 5, 30])))]);
      }
      await crowd.end(request);

      const { state } = (await b.requests.get(request.id))!;
      const count = async (type: Parameters<PeopleBench['ofType']>[1]) =>
        (await b.ofType(request.session, type)).length;
      const isClosed = state !== 'cancelled';
      const told = b.comments(issue).map(({ body }) => body);
      expect({
        ...{ trace: crowd.trace, state, ran: b.ran.length, log: b.log.splice(0) },
        asked: await count('human/asked'),
        answered: [await count('human/answer'), await count('approval/decided')].map((times) =>
          Math.max(times, +!isClosed),
        ),
        wakes: await crowd.processes[0].people.wakes((await b.requests.get(request.id))!),
        isOpenedAgain: !isClosed && (await count('turn/start')) > 1,
        boxes: told.flatMap(ownBoxes),
        waits: told.filter((body) => /Waiting for|\*\*Working/.test(body)),
        comments: told.length,
      }).toEqual({
        ...{
          trace: crowd.trace,
          state: expect.not.stringMatching('pending'),
          ran: state === 'allowed' ? 1 : 0,
          log: [],
        },
        ...{ asked: 1, answered: [1, 1], wakes: undefined, isOpenedAgain: false, boxes: [], waits: [], comments: 2 },
      });
    },
  );
});
