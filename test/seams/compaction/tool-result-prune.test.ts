import { describe, expect, it, jest } from '@jest/globals';
import { CallId } from '../../../src/harness/llm/types.ts';
import type { ContentBlock } from '../../../src/harness/llm/types.ts';
import { ToolResultPrune } from '../../../src/seams/compaction/tool-result-prune.ts';
import { LogWriter, call, codeOf, text } from '../../harness/session/session-fixture.ts';

const MARKER = '\n\n[... tool result middle pruned ...]\n\n';
const LIMITS = { thresholdChars: 60, headChars: 10, tailChars: 5 };

/** An open turn with one call whose result has this content. */
function logOf(...content: ContentBlock[]): LogWriter {
  const log = new LogWriter().startTurn().prompt('p'.repeat(100)).startStep().answer(call('a')).startCall('a');
  const data = { turn: 1, step: 1, callId: CallId('a'), content, isError: true, meta: { exitCode: 1 } };
  log.session.append('tool/result', data, { surfaceOp: 'append' });
  return log.endStep();
}

describe('compaction', () => {
  it('CP25 CP26 a long result keeps head and tail around a marker, within the threshold, in one pass', () => {
    const { session } = logOf(...text(`${'h'.repeat(10)}${'m'.repeat(60)}${'t'.repeat(5)}`));
    const pruner = new ToolResultPrune(LIMITS);

    const { pruned, charsRemoved } = pruner.prune(session);

    const result = session.eventAt(session.surface.nodes.at(-1)!);
    expect(result).toMatchObject({ data: { content: text(`${'h'.repeat(10)}${MARKER}${'t'.repeat(5)}`) } });
    const after = 15 + MARKER.length;
    expect(pruned).toMatchObject([{ callId: 'a', charsBefore: 75, charsAfter: after }]);
    expect(charsRemoved).toBe(75 - after);
    expect(after).toBeLessThanOrEqual(60);
    expect(pruner.prune(session).pruned).toEqual([]);
  });

  it('CP25 only results are shortened, by code points, and none of a pair is split', () => {
    const emoji = '\u{1F600}'.repeat(60);
    const session = logOf(...text(emoji)).session;
    const pruner = new ToolResultPrune(LIMITS);

    expect(pruner.prune(session).pruned).toEqual([]);
    const longer = logOf(...text(`${emoji}\u{1F600}`)).session;
    expect(pruner.prune(longer).pruned).toHaveLength(1);
    const result = longer.eventAt(longer.surface.nodes.at(-1)!);
    expect(result).toMatchObject({
      data: { content: text(`${'\u{1F600}'.repeat(10)}${MARKER}${'\u{1F600}'.repeat(5)}`) },
    });
  });

  it('CP25 blocks that are no text cost nothing, stay, and keep their order', () => {
    const image = { type: 'image', data: 'x'.repeat(500) } as unknown as ContentBlock;
    const { session } = logOf({ type: 'text', text: 'a'.repeat(40) }, image, { type: 'text', text: 'b'.repeat(40) });

    new ToolResultPrune(LIMITS).prune(session);

    const result = session.eventAt(session.surface.nodes.at(-1)!);
    expect(result).toMatchObject({
      data: { content: [{ text: `${'a'.repeat(10)}${MARKER}` }, image, { text: 'b'.repeat(5) }] },
    });
    expect(new ToolResultPrune(LIMITS).prune(logOf(image).session).pruned).toEqual([]);
  });

  it.each<[string, object]>([
    ['head, marker and tail beyond the threshold', { thresholdChars: 50, headChars: 10, tailChars: 5 }],
    ['an unknown key', { maxChars: 10 }],
    ['a negative length', { headChars: -1 }],
  ])('CP26 %s fails at load', (_, config) => {
    expect(codeOf(() => new ToolResultPrune(config))).toBe('COMPACT_CONFIG');
  });

  it('CP27 the new result replaces exactly the old one, cites it, and differs in nothing else', () => {
    const { session } = logOf(...text('x'.repeat(100)));
    const original = session.surface.nodes.at(-1)!;

    const { pruned } = new ToolResultPrune(LIMITS).prune(session);

    const replacement = session.eventAt(pruned[0]!.replacementSeq);
    expect(replacement).toMatchObject({
      data: { turn: 1, step: 1, callId: 'a', isError: true, meta: { exitCode: 1 } },
      surfaceOp: { op: 'replace', start: original, end: original },
      sourceEventSeqs: [original],
    });
    expect(session.eventAt(original)).toMatchObject({ data: { content: text('x'.repeat(100)) } });
  });

  it('CP27 it needs an open turn; when an append is refused, the earlier replacements stay', () => {
    const log = new LogWriter().turnWithCalls('a', 'b').startCall('a').startCall('b');
    log.endCall('a', 'x'.repeat(100)).endCall('b', 'y'.repeat(100)).endStep();
    const { session } = log;
    const { append } = session;
    const appendOnce = jest.spyOn(session, 'append').mockImplementationOnce(append.bind(session) as never);
    appendOnce.mockImplementationOnce(() => {
      throw new Error('refused');
    });
    const pruner = new ToolResultPrune(LIMITS);

    expect(() => pruner.prune(session)).toThrow('refused');
    expect(session.surface.replaceGeneration).toBe(1);
    appendOnce.mockRestore();
    log.endTurn();
    expect(codeOf(() => pruner.prune(session))).toBe('NOT_ENCLOSED');
  });
});
