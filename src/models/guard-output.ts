import type * as z from 'zod';
import { LlmError } from '../harness/llm/errors.ts';
import type { RetryConfig } from '../harness/llm/retry-policy.ts';
import type { StreamChunk } from '../harness/llm/types.ts';
import { RepetitionDetector } from './repetition-detector.ts';
import { holdsToolCallText } from './tool-call-text.ts';

/** What `llm-retry` is mounted with for the failures found here: two more tries, and one. */
export const OUTPUT_RETRIES: readonly z.input<typeof RetryConfig>[] = [
  { codes: ['TOOL_CALL_AS_TEXT'], maxRetries: 2 },
  { codes: ['DEGENERATE_OUTPUT'], maxRetries: 1 },
];

/**
 * Fails a reply that must not enter the history: a tool call written as text (`TOOL_CALL_AS_TEXT`), which would teach
 * by example, and a stream that only repeats itself (`DEGENERATE_OUTPUT`), which is cut on the spot.
 */
export async function* guardOutput(
  stream: AsyncIterable<StreamChunk>,
  toolNames: readonly string[],
): AsyncGenerator<StreamChunk, void, void> {
  const repetition = new RepetitionDetector();
  const texts: string[] = [];
  for await (const chunk of stream) {
    if (repetition.push(deltaOf(chunk))) throw degenerate();
    if (chunk.type === 'block-end' && chunk.block.type === 'text') texts.push(chunk.block.text);
    if (chunk.type === 'finish') {
      if (repetition.isRepeating()) throw degenerate();
      if (toolNames.length > 0 && holdsToolCallText(texts.join('\n'), toolNames)) throw callAsText();
    }
    yield chunk;
  }
}

function deltaOf(chunk: StreamChunk): string {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return chunk.text;
    case 'tool-call-delta':
      return chunk.argumentsDelta;
    default:
      return '';
  }
}

function degenerate(): LlmError {
  return new LlmError('the model repeated one piece of text over and over; the reply was cut', 'DEGENERATE_OUTPUT');
}

function callAsText(): LlmError {
  return new LlmError(
    "the model wrote a tool call as text, so nothing ran: the model server's tool call parser is off or does not fit the model",
    'TOOL_CALL_AS_TEXT',
  );
}
