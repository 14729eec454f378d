import type { Message } from '../../../src/harness/llm/types.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';

/** What one call of the log went through. */
interface Call {
  id: string;
  called: number;
  answered: number;
}

/**
 * Reads a finished log with none of the harness's own code and throws on the first thing that no run may leave behind.
 * `parkedIsOpen` allows the last turn to be parked with calls that wait.
 */
export function checkLog(events: readonly SessionEvent[], parkedIsOpen = false): void {
  let turn = 0;
  let step = 0;
  let inTurn = false;
  let inStep = false;
  let calls: Call[] = [];
  const fail = (event: SessionEvent, why: string): never => {
    throw new Error(`event ${event.seq} ${event.type}: ${why}\n${outline(events)}`);
  };
  const open = () => calls.filter(({ answered }) => answered < 0);

  for (const [index, event] of events.entries()) {
    if (event.seq !== index) fail(event, 'S1 the log has a gap');
    if (!Object.isFrozen(event)) fail(event, 'S3 not frozen');
    if (event.type !== 'turn/start' && !inTurn) fail(event, 'S7 outside a turn');
    switch (event.type) {
      case 'turn/start':
        if (inTurn || event.data.turn !== (turn += 1)) fail(event, 'S8 not the next turn');
        [inTurn, step] = [true, 0];
        break;
      case 'turn/end':
        if (inStep || event.data.turn !== turn) fail(event, 'S8 not the open turn');
        if (event.data.reason.kind !== 'parked' && open().length > 0) fail(event, 'A22 a call has no result');
        inTurn = false;
        break;
      case 'step/start':
        if (inStep || event.data.step !== (step += 1)) fail(event, 'S9 not the next step');
        if (open().length > 0) fail(event, 'B4 a parked call has no result');
        inStep = true;
        break;
      case 'step/end':
        if (!inStep || event.data.step !== step) fail(event, 'S9 not the open step');
        inStep = false;
        break;
      case 'assistant/message':
        if (!inStep) fail(event, 'S10 outside a step');
        calls = event.data.content.flatMap((block) =>
          block.type === 'tool-call' ? [{ id: block.id, called: -1, answered: -1 }] : [],
        );
        break;
      case 'tool/call': {
        const call = calls.find(({ id }) => id === event.data.callId);
        if (!call || call.called >= 0) fail(event, 'T24 called out of turn');
        if (calls.slice(0, calls.indexOf(call!)).some(({ called }) => called < 0))
          fail(event, "T26 not in the model's order");
        call!.called = event.seq;
        break;
      }
      case 'tool/result': {
        const call = calls.find(({ id }) => id === event.data.callId);
        if (!call || call.answered >= 0) fail(event, 'S10 no such call waits');
        if (call!.called >= 0 && event.sourceEventSeqs?.[0] !== call!.called) fail(event, 'T27 does not cite its call');
        if (event.data.step !== (inStep ? step : 0)) fail(event, 'B5 names another step');
        call!.answered = event.seq;
        break;
      }
      case 'user/message':
      case 'steering/message':
      case 'context/message':
        if (open().length > 0) fail(event, 'T28 between a call and its result');
        break;
      default:
    }
  }
  if (inTurn) throw new Error(`A22 the last turn is open\n${outline(events)}`);
  if (open().length > 0 && !parkedIsOpen) throw new Error(`a call has no result\n${outline(events)}`);
}

/** No provider takes a history in which a call has no result. */
export function checkMessages(messages: readonly Message[]): void {
  const waiting = new Set<string>();
  for (const { role, content } of messages) {
    const results = content.flatMap((block) => (block.type === 'tool-result' ? [block.toolCallId as string] : []));
    if (waiting.size > 0 && results.length === 0) throw new Error(`calls ${[...waiting].join()} have no result`);
    for (const id of results) if (!waiting.delete(id)) throw new Error(`result ${id} answers nothing`);
    if (role === 'assistant') for (const block of content) if (block.type === 'tool-call') waiting.add(block.id);
  }
  if (waiting.size > 0) throw new Error(`calls ${[...waiting].join()} have no result`);
}

export function outline(events: readonly SessionEvent[]): string {
  return events
    .filter(({ type }) => type !== 'assistant/chunk')
    .map(({ seq, type, data }) => `${seq} ${type} ${JSON.stringify(data).slice(0, 140)}`)
    .join('\n');
}
