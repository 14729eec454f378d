import { renderPrompt } from '../system-prompt/render-prompt.ts';
import { assembleContextFor } from './agent-events.ts';
import { answerLeftCalls } from './answer-left-calls.ts';
import { drainSteering } from './append-input.ts';
import { buildRequest } from './build-request.ts';
import type { FailedRequest } from './recover-request.ts';
import { recordReply } from './record-reply.ts';
import { runToolBatch } from './run-tool-batch.ts';
import { composeSessionPrefix } from './session-prefix.ts';
import { streamReply } from './stream-reply.ts';
import type { Turn } from './turn.ts';

export interface FinishedStep {
  readonly kind: 'finished';
  /** Whether the model has something new to react to. */
  readonly goOn: boolean;
}

/** One model request plus its tool work. */
export async function runStep(turn: Turn): Promise<FinishedStep | FailedRequest> {
  const { loop, number, signal } = turn;
  drainSteering(turn);
  const assembly = await turn.settled(loop.services.systemPrompt.assemble(assembleContextFor(loop.agent, signal)));
  const system = renderPrompt(assembly);
  const prefix = await composeSessionPrefix(turn);
  await turn.settled(loop.events.serial('agent/pre-step', number, turn.step + 1, signal));

  const history = loop.session.deriveMessages();
  openStep(turn);
  try {
    return await requestAndAct(turn, { system, tools: assembly.tools, prefix, history });
  } finally {
    closeStep(turn);
  }
}

function openStep(turn: Turn): void {
  const step = turn.step + 1;
  turn.loop.session.append('step/start', { turn: turn.number, step });
  turn.step = step;
}

async function requestAndAct(
  turn: Turn,
  parts: Parameters<typeof buildRequest>[1],
): Promise<FinishedStep | FailedRequest> {
  const request = await buildRequest(turn, parts);
  const reply = await streamReply(turn, request);
  if (reply.kind === 'failed') return reply;
  turn.priorFailures = Object.freeze([]);

  const calls = await recordReply(turn, request, reply);
  if (calls.length > 0)
    await runToolBatch(
      turn,
      calls.map((block) => ({ block })),
      turn.step,
    );
  const steered = !turn.cancellation.interrupted && drainSteering(turn);
  await turn.loop.events.serial('agent/post-step', turn.number, turn.step, turn.signal);
  return { kind: 'finished', goOn: calls.length > 0 || steered };
}

/** Unless the turn is parked at one of them, no call leaves its step without a result. That decision is final. */
function closeStep(turn: Turn): void {
  const { loop, number, step } = turn;
  if (turn.cancellation.parking) loop.cancellation = undefined;
  else if (loop.surfaceHeld) answerLeftCalls(turn);
  loop.session.append('step/end', { turn: number, step });
}
