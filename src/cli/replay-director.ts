import { heldContexts } from '../harness/agent/session-log.ts';
import type { Agent } from '../harness/agent/types.ts';
import type { Context } from '../harness/kernel/context.ts';
import { HarnessError } from '../harness/llm/errors.ts';
import type { StreamChunk } from '../harness/llm/types.ts';
import { jsonEquals } from '../harness/session/json.ts';
import type { SessionEvent, SurfaceEvent, SurfaceOp } from '../harness/session/types.ts';
import type { ToolExecution, ToolExecutionResult } from '../harness/tools/types.ts';
import { isSurfaceEvent } from '../harness/session/surface-event.ts';
import { isAnchor } from './replay-recording.ts';
import type { TurnRecording } from './replay-recording.ts';

/**
 * Stands for everything around the loop while a recorded turn runs again: the prompt's sections, the tools, the
 * plugins that add to the history, the decisions to go on. The loop itself is the real one.
 */
export class ReplayDirector {
  readonly #recording: TurnRecording;
  /** Whether a reply in the log that is not what its stream gave is to be believed. */
  readonly #isProven: (seq: number) => boolean;
  readonly #results: Map<string, ToolExecutionResult[]>;
  /** From the seqs of the log to those of the new run. */
  readonly #seqs = new Map<number, number>();
  readonly #guests: TurnRecording['guests'][number][];
  #passed = 0;
  #nextStep = 1;
  #isAdding = false;

  constructor(recording: TurnRecording, isProven: (seq: number) => boolean) {
    this.#recording = recording;
    this.#isProven = isProven;
    this.#guests = [...recording.guests];
    this.#results = new Map([...recording.results].map(([id, results]) => [id, results.map(resultOf)]));
  }

  install(ctx: Context): void {
    const { headers, steps } = this.#recording;
    const header = () => headers.get(this.#nextStep);
    const hasNext = () => this.#nextStep <= steps;
    ctx.on('session/event', (_session, event) => this.#follow(event));
    ctx.on('agent/prompt-submit', (agent, _content, _source, _signal, next) => {
      if (agent.session.parkedCalls.length > 0) this.#announceGuests(agent);
      else this.#letGuestsIn(agent);
      return next();
    });
    ctx.on('system-prompt/assemble', () => {
      const { system = '', tools = [] } = header() ?? {};
      return {
        sections: [{ name: 'recorded', text: '{{recorded}}' }],
        tools: [...tools],
        variables: { recorded: system },
      };
    });
    ctx.on('agent/session-prefix', () => header()?.messagePrefix ?? []);
    ctx.on('agent/request', (_agent, _turn, step) => {
      const config = headers.get(step)?.config;
      if (!config) throw new HarnessError('the log holds no request of this step', 'NOT_RECORDED');
      return config;
    });
    ctx.on('llm/stream', (_options, next) => this.#withGuests(ctx, next()));
    ctx.on('agent/step-result', (_agent, _turn, step, message) => ({
      ...message,
      content: this.#believed(step, message.content),
    }));
    ctx.on('tools/execute', (exec) => this.#resultFor(exec));
    for (const moment of ['agent/pre-step', 'agent/post-step'] as const)
      ctx.on(moment, (agent) => this.#letGuestsIn(agent));
    ctx.on('agent/request-error', (agent) => {
      this.#letGuestsIn(agent);
      return { action: hasNext() ? 'retry' : 'fail' };
    });
    ctx.on('agent/turn-continuation', (agent) => {
      this.#letGuestsIn(agent);
      return { action: hasNext() ? 'continue' : 'stop' };
    });
  }

  #follow(event: SessionEvent): void {
    if (event.type === 'step/start') this.#nextStep = event.data.step + 1;
    if (!isAnchor(event)) return this.#welcome(event);
    const recorded = this.#recording.anchors[this.#passed++];
    if (recorded) this.#seqs.set(recorded.seq, event.seq);
  }

  /** Contexts that a parked turn held back are known to the loop from the log: it lets them in by itself. */
  #welcome(event: SessionEvent): void {
    if (this.#isAdding || !isSurfaceEvent(event)) return;
    const index = this.#guests.findIndex(
      (guest) => guest.event.type === event.type && jsonEquals(guest.event.data, event.data),
    );
    const [guest] = index < 0 ? [] : this.#guests.splice(index, 1);
    if (guest) this.#seqs.set(guest.event.seq, event.seq);
  }

  /** What came while the model was speaking comes before its message, again. */
  async *#withGuests(ctx: Context, chunks: AsyncIterable<StreamChunk>): AsyncGenerator<StreamChunk, void, void> {
    const agent = ctx.agents.list()[0];
    if (agent) this.#letGuestsIn(agent);
    yield* chunks;
  }

  /** Everything that others had put into the history by now. */
  #letGuestsIn({ session }: Agent): void {
    for (let [guest] = this.#guests; guest && guest.after <= this.#passed; [guest] = this.#guests) {
      const { event } = guest;
      const intent = { surfaceOp: this.#moved(event.surfaceOp), ...this.#sourcesOf(event) };
      this.#guests.shift();
      this.#isAdding = true;
      const added = session.append(event.type, event.data as never, intent);
      this.#isAdding = false;
      this.#seqs.set(event.seq, added.seq);
    }
  }

  /** Before the results of a parked turn the history takes nothing: what was added for this prompt waits in the loop. */
  #announceGuests(agent: Agent): void {
    const known = heldContexts(agent.session);
    const beforePrompt = this.#recording.anchors.findIndex(({ type }) => type === 'user/message');
    for (const { event } of this.#guests.filter((guest) => guest.after <= beforePrompt)) {
      if (event.type !== 'context/message' || known.some(({ content }) => jsonEquals(content, event.data.content)))
        continue;
      const { content, ...options } = event.data;
      agent.inject(content, options);
    }
  }

  #moved(op: SurfaceOp): SurfaceOp {
    return op === 'append' ? op : { ...op, start: this.#seqOf(op.start), end: this.#seqOf(op.end) };
  }

  #sourcesOf({ sourceEventSeqs: seqs }: SurfaceEvent): { sourceEventSeqs?: number[] } {
    const known = seqs?.filter((seq) => seq < this.#recording.start || this.#seqs.has(seq));
    return known?.length ? { sourceEventSeqs: known.map((seq) => this.#seqOf(seq)) } : {};
  }

  #seqOf(seq: number): number {
    return this.#seqs.get(seq) ?? seq;
  }

  /** A plugin may have rewritten a reply; a later request that is proven says that this is what was sent. */
  #believed<T>(step: number, assembled: T): T {
    const logged = this.#recording.replies.get(step);
    const isRewritten = logged && !jsonEquals(logged.data.content, assembled) && this.#isProven(logged.seq);
    return isRewritten ? (logged.data.content as T) : assembled;
  }

  /** A call without a result waited for a person, or was cut off: no request came after it, so none sees this. */
  #resultFor({ callId }: Pick<ToolExecution, 'callId'>): ToolExecutionResult {
    return this.#results.get(callId)?.shift() ?? { content: [], isError: true };
  }
}

function resultOf({ content, isError, error, meta }: SessionEvent<'tool/result'>['data']): ToolExecutionResult {
  return { content, isError, ...(error && { error }), ...(meta !== undefined && { meta }) };
}
