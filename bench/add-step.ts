import { CallId } from '../src/harness/llm/types.ts';
import type { Session } from '../src/harness/session/session.ts';

/** One step of turn 1 as a streamed request with one tool call leaves it: few messages, `chunks` chunks. */
export function addStep(session: Session, step: number, chunks: number): void {
  const at = { turn: 1, step };
  const callId = CallId(`c${step}`);
  session.append('step/start', at);
  for (let i = 0; i < chunks; i++)
    session.append('assistant/chunk', { ...at, chunk: { type: 'text-delta', index: 0, text: 'word ' } });
  const content = [{ type: 'tool-call' as const, id: callId, name: 'bash', arguments: '{}' }];
  session.append(
    'assistant/message',
    { ...at, content, provenance: { provider: 'p', model: 'm' } },
    { surfaceOp: 'append' },
  );
  session.append('tool/call', { ...at, callId, name: 'bash', arguments: '{}' });
  session.append(
    'tool/result',
    { ...at, callId, content: [{ type: 'text', text: 'ok' }], isError: false },
    { surfaceOp: 'append' },
  );
  session.append('step/end', at);
}
