import { Context } from '../../../src/harness/kernel/context.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import type { ContentBlock } from '../../../src/harness/llm/types.ts';
import { canonicalSessionHeader } from '../../../src/harness/session/canonical-session-header.ts';
import { Session } from '../../../src/harness/session/session.ts';
import { sessionStore } from '../../../src/harness/session/session-store.ts';
import type { SessionStore } from '../../../src/harness/session/session-store.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent, SessionEventType, TurnEndReason, TurnTrigger } from '../../../src/harness/session/types.ts';
import '../../../src/bot/session/session-events.ts';
import '../../../src/harness/agent/parked.ts';

export const USER = { kind: 'user' } as const;
export const MESSAGE = { kind: 'message', source: USER } as const;
export const APPEND = { surfaceOp: 'append' } as const;
export const ROUTE = { provider: 'deepseek', model: 'deepseek-chat' };

export function text(value: string): ContentBlock[] {
  return [{ type: 'text', text: value }];
}

export function call(id: string, name = 'bash'): ContentBlock {
  return { type: 'tool-call', id: CallId(id), name, arguments: '{}' };
}

/** A session nobody keeps, on a clock that shows 1000, 1001, … */
export function loneSession(seed: readonly SessionEvent[] = [], id = 'lone'): Session {
  let time = 1000;
  const host = { now: () => time++, admit: () => () => {} };
  return new Session(canonicalSessionHeader(SessionId(id), {}, 0), host, seed);
}

export async function rootWithSessions(): Promise<{ ctx: Context; sessions: SessionStore }> {
  const ctx = new Context();
  let time = 1000;
  await ctx.plugin(sessionStore, { now: () => time++ });
  return { ctx, sessions: ctx.sessions };
}

/** Appends without the compile-time checks, to see the ones at run time. */
export function appendRaw(session: Session, type: string, data: unknown, intent?: unknown): SessionEvent {
  const append = session.append.bind(session) as (type: string, data: unknown, intent?: unknown) => SessionEvent;
  return append(type, data, intent);
}

/** Writes whole stretches of a log; the current turn and step are filled in. */
export class LogWriter {
  readonly session: Session;
  step = 0;

  constructor(session: Session = loneSession()) {
    this.session = session;
  }

  get turn(): number {
    return this.session.lastTurn;
  }

  startTurn(trigger: TurnTrigger = MESSAGE): this {
    this.step = 0;
    this.session.append('turn/start', { turn: this.turn + 1, trigger });
    return this;
  }

  prompt(value: string): this {
    this.session.append('user/message', { content: text(value), source: USER }, APPEND);
    return this;
  }

  context(value: string): this {
    this.session.append(
      'context/message',
      { content: text(value), source: { kind: 'plugin', plugin: 'test' } },
      APPEND,
    );
    return this;
  }

  startStep(): this {
    this.step += 1;
    this.session.append('step/start', { turn: this.turn, step: this.step });
    return this;
  }

  chunk(value = 'x'): this {
    this.session.append('assistant/chunk', {
      turn: this.turn,
      step: this.step,
      chunk: { type: 'text-delta', index: 0, text: value },
    });
    return this;
  }

  answer(...content: ContentBlock[]): this {
    this.session.append('assistant/message', { turn: this.turn, step: this.step, content, provenance: ROUTE }, APPEND);
    return this;
  }

  startCall(id: string, step = this.step, name = 'bash'): this {
    this.session.append('tool/call', { turn: this.turn, step, callId: CallId(id), name, arguments: '{}' });
    return this;
  }

  endCall(id: string, value = 'done', step = this.step): this {
    const callSeq = this.session.events.findLast(
      (event) => event.type === 'tool/call' && event.data.callId === id,
    )!.seq;
    this.session.append(
      'tool/result',
      { turn: this.turn, step, callId: CallId(id), content: text(value), isError: false },
      { surfaceOp: 'append', sourceEventSeqs: [callSeq] },
    );
    return this;
  }

  endStep(): this {
    this.session.append('step/end', { turn: this.turn, step: this.step });
    return this;
  }

  endTurn(reason: TurnEndReason = { kind: 'completed' }): this {
    this.session.append('turn/end', { turn: this.turn, reason });
    return this;
  }

  /** A turn with one prompt and one answer. */
  shortTurn(prompt = 'hi', answer = 'hello', trigger: TurnTrigger = MESSAGE): this {
    return this.startTurn(trigger)
      .prompt(prompt)
      .startStep()
      .answer(...text(answer))
      .endStep()
      .endTurn();
  }

  /** The start of a turn whose first step asks for calls. */
  turnWithCalls(...ids: string[]): this {
    return this.startTurn()
      .prompt('work')
      .startStep()
      .answer(...ids.map((id) => call(id)));
  }

  /** A turn that ended parked: its first call was started and waits for approval, the others were not started. */
  parkedTurn(...ids: string[]): this {
    this.turnWithCalls(...ids).startCall(ids[0]!);
    appendRaw(this.session, 'approval/asked', { id: 'ap_1', toolName: 'bash', callId: ids[0] });
    this.endStep();
    return this.endTurn({ kind: 'parked', waitingFor: { kind: 'approval', id: 'ap_1' }, callId: CallId(ids[0]!) });
  }
}

export const ANSWER: TurnTrigger = {
  kind: 'github-answer',
  cause: 'comment-1',
  repo: { id: 1, owner: 'o', name: 'r' },
  subject: { kind: 'issue', number: 7 },
  request: 'ap_1',
};

export function typesOf(events: readonly SessionEvent[]): SessionEventType[] {
  return events.map(({ type }) => type);
}

/** The code of what a function throws. */
export function codeOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return (error as { code?: unknown }).code ?? (error as Error).name;
  }
  return undefined;
}
