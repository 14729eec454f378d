import type { CallId } from '../llm/types.ts';
import { parseToolArguments } from '../tools/parse-tool-arguments.ts';
import { abortedBeforeDispatch } from '../tools/tool-results.ts';
import type { FinalCall, ReadyCall, SettledCall } from '../tools/tool-registry.ts';
import type { ToolExecutionInput } from '../tools/types.ts';
import { appendResult } from './append-result.ts';
import type { LoggedResult } from './append-result.ts';
import type { DueCall } from './session-log.ts';
import type { Turn } from './turn.ts';

type WaitingCall = DueCall & { readonly input: ToolExecutionInput };

/** A call whose `tool/call` is logged and whose result is not. */
interface StartedCall {
  readonly callId: CallId;
  readonly callSeq: number;
  readonly exclusive: boolean;
  readonly outcome: Promise<SettledCall | FinalCall>;
  settled: boolean;
}

/**
 * The scheduler of one reply's calls. Bodies of parallel calls overlap; everything else happens in the model's order,
 * one thing at a time. An exclusive call is alone from its start to its logged result.
 */
export class ToolBatch {
  readonly #turn: Turn;
  readonly #step: number;
  readonly #due: WaitingCall[];
  /** In the model's order. */
  readonly #started: StartedCall[] = [];

  constructor(turn: Turn, step: number, calls: readonly DueCall[]) {
    this.#turn = turn;
    this.#step = step;
    this.#due = calls.map((call) => ({ ...call, input: inputOf(turn, call) }));
  }

  async run(): Promise<void> {
    while (this.#due.length > 0 || this.#started.length > 0) {
      const [next] = this.#due;
      const [first] = this.#started;
      if (next && this.#mayStart(next)) await this.#start(this.#due.shift()!);
      else if (first?.settled) await this.#commit(this.#started.shift()!);
      else if (first) await this.#anyBody();
      else return this.#abortRest();
    }
  }

  /** No body outlives its turn. */
  async settleBodies(): Promise<void> {
    await Promise.allSettled(this.#started.map(({ outcome }) => outcome));
  }

  /** Asked again right before each start: the registry may have changed meanwhile. */
  #mayStart(call: WaitingCall): boolean {
    if (this.#turn.cancellation.interrupted) return false;
    if (this.#started.length === 0) return true;
    if (this.#started.some(({ exclusive }) => exclusive) || this.#isExclusive(call)) return false;
    return this.#running().length < this.#turn.loop.services.maxParallelToolCalls;
  }

  #isExclusive(call: WaitingCall): boolean {
    if (call.result) return true;
    return this.#turn.loop.services.tools.executionMode(call.input).kind === 'exclusive';
  }

  async #start(call: WaitingCall): Promise<void> {
    const callId = call.block.id;
    const callSeq = call.callSeq ?? this.#logCall(call);
    if (call.result) return this.#logResult({ callId, callSeq }, call.result);
    const exclusive = this.#isExclusive(call);
    const { loop } = this.#turn;
    loop.waitingCalls.add(callId);
    const prepared = await loop.services.tools.prepare(call.input);
    if (prepared.kind !== 'ready') loop.waitingCalls.delete(callId);
    const outcome = prepared.kind === 'ready' ? this.#dispatch(callId, prepared) : Promise.resolve(prepared);
    this.#follow({ callId, callSeq, exclusive, outcome, settled: prepared.kind !== 'ready' });
  }

  #dispatch(callId: CallId, ready: ReadyCall): Promise<SettledCall | FinalCall> {
    this.#turn.dispatched.add(callId);
    return this.#turn.loop.services.tools.dispatch(ready);
  }

  #follow(call: StartedCall): void {
    this.#started.push(call);
    const settle = () => {
      call.settled = true;
      this.#turn.loop.waitingCalls.delete(call.callId);
    };
    call.outcome.then(settle, settle);
  }

  #running(): StartedCall[] {
    return this.#started.filter(({ settled }) => !settled);
  }

  async #anyBody(): Promise<void> {
    await Promise.race(this.#running().map(({ outcome }) => outcome));
  }

  /** The call at which the turn is parked stays open: what its interruption made of it is no result. */
  async #commit({ callId, callSeq, outcome }: StartedCall): Promise<void> {
    const { loop, cancellation } = this.#turn;
    if (cancellation.parking?.callId === callId) {
      this.#turn.waitingCall = callId;
      return;
    }
    const ended = await outcome;
    const { tools } = loop.services;
    const result = ended.kind === 'final' ? tools.finish(ended) : await tools.finalize(ended);
    this.#logResult({ callId, callSeq }, result);
    loop.inbox.hold(result.additionalContexts ?? []);
  }

  /** Unless the turn is parked, every call the model made gets a result. */
  #abortRest(): void {
    if (this.#turn.cancellation.parking) return;
    for (const call of this.#due.splice(0)) {
      const callSeq = call.callSeq ?? this.#logCall(call);
      this.#logResult({ callId: call.block.id, callSeq }, call.result ?? abortedBeforeDispatch());
    }
  }

  #logCall({ block: { id, name, arguments: text } }: DueCall): number {
    const { loop, number } = this.#turn;
    const data = { turn: number, step: this.#step, callId: id, name, arguments: text };
    return loop.session.append('tool/call', data).seq;
  }

  #logResult(call: { callId: CallId; callSeq: number }, result: LoggedResult): void {
    appendResult(this.#turn, { step: this.#step, ...call }, result);
  }
}

function inputOf({ loop, signal }: Turn, { block }: DueCall): ToolExecutionInput {
  return {
    callId: block.id,
    name: block.name,
    arguments: parseToolArguments(block.arguments),
    agent: loop.agent,
    signal,
  };
}
