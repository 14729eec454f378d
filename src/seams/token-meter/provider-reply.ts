import { BlockAssembler } from '../../harness/llm/block-assembler.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { ContentBlock, StreamChunk } from '../../harness/llm/types.ts';
import type { SessionEvent } from '../../harness/session/types.ts';

type Reply = SessionEvent<'assistant/message'>;

/**
 * What the provider sent, which is not what was kept of it when a plugin changed the reply. Without cited chunks it is
 * unknown, and what was kept counts.
 * @throws HarnessError `TOKEN_METER_BAD_LOG` when a cited event is no chunk of this reply's step
 */
export function providerReply(event: Reply, eventAt: (seq: number) => SessionEvent | undefined): ContentBlock[] {
  const { sourceEventSeqs } = event;
  if (!sourceEventSeqs) return event.data.content;
  const assembler = new BlockAssembler();
  for (const seq of sourceEventSeqs) assembler.push(chunkOf(event, eventAt(seq), seq));
  return blocksOf(assembler) ?? event.data.content;
}

function chunkOf({ seq, data: { turn, step } }: Reply, cited: SessionEvent | undefined, citedSeq: number): StreamChunk {
  if (cited?.type !== 'assistant/chunk') throw badLog(`event ${seq} cites ${citedSeq}, which is no chunk`);
  if (cited.data.turn !== turn || cited.data.step !== step) {
    throw badLog(`event ${seq} cites ${citedSeq}, a chunk of another step`);
  }
  return cited.data.chunk;
}

/** A block of a kind only its end describes, which never came: the loop kept nothing of such a reply, either. */
function blocksOf(assembler: BlockAssembler): ContentBlock[] | undefined {
  try {
    return assembler.blocks();
  } catch {
    return undefined;
  }
}

export function badLog(message: string): HarnessError {
  return new HarnessError(message, 'TOKEN_METER_BAD_LOG');
}
