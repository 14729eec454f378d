import type { ContentBlock, StreamChunk, TokenUsage } from '../../../src/harness/llm/types.ts';
import type { EpochHeader, SessionEvent } from '../../../src/harness/session/types.ts';
import { APPEND, LogWriter, ROUTE, USER, text } from '../../harness/session/session-fixture.ts';

export const HEADER: EpochHeader = { config: ROUTE };
/** Ten times what `abcd` costs as a whole message. */
export const PLENTY: TokenUsage = { inputTokens: 80, outputTokens: 10 };

interface ReplyOptions {
  usage?: TokenUsage;
  /** What the provider sent, where that is not what was kept. */
  sent?: readonly ContentBlock[];
}

/** Writes logs as the loop does: headers, cited chunks, usage. */
export class MeteredLog extends LogWriter {
  header(header: EpochHeader = HEADER): this {
    this.session.append('request/header', { header, reason: 'initial' });
    return this;
  }

  /** A reply whose chunks are in the log and cited. */
  reply(content: ContentBlock[], { usage, sent = content }: ReplyOptions = {}): this {
    const chunks: StreamChunk[] = sent.map((block, index) => ({ type: 'block-end', index, block }));
    const seqs = chunks.map((chunk) => this.sent(chunk).seq);
    const data = { turn: this.turn, step: this.step, content, provenance: ROUTE, ...(usage && { usage }) };
    this.session.append('assistant/message', data, { surfaceOp: 'append', sourceEventSeqs: seqs });
    return this;
  }

  sent(chunk: StreamChunk): SessionEvent<'assistant/chunk'> {
    return this.session.append('assistant/chunk', { turn: this.turn, step: this.step, chunk });
  }

  /** Replaces the surface from `start` to `end` by one message. */
  replace(start: number, end: number, value: string): this {
    const { nodes } = this.session.surface;
    const sourceEventSeqs = nodes.slice(nodes.indexOf(start), nodes.indexOf(end) + 1);
    const data = { content: text(value), source: USER };
    this.session.append('user/message', data, { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs });
    return this;
  }

  steer(value: string): this {
    this.session.append('steering/message', { content: text(value), source: USER, turn: this.turn }, APPEND);
    return this;
  }
}

/** A turn with prompt `abcd`, a header, and a reply `abcd` within a step that is still open. */
export function answeredLog(usage?: TokenUsage, header: EpochHeader = HEADER): MeteredLog {
  return new MeteredLog()
    .startTurn()
    .prompt('abcd')
    .startStep()
    .header(header)
    .reply(text('abcd'), { ...(usage && { usage }) });
}
