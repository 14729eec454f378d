import { errorChain, HarnessError } from '../../harness/llm/errors.ts';
import type { Session } from '../../harness/session/session.ts';
import type { TokenMeter } from '../token-meter/types.ts';
import { COMPACT_CHECKPOINT_SOURCE, frameSummary } from './checkpoint.ts';
import type { Region } from './choose-region.ts';
import type { CompactRoute } from './policy.ts';
import { toolPairingBalancedAfter, toolPairingBalancedBefore } from './tool-pairing.ts';
import type { CompactionResult } from './types.ts';

export interface Summarized {
  readonly text: string;
  /** What the host adds below the summary. */
  readonly facts: string | undefined;
  readonly route: CompactRoute;
  readonly maxTokens: number;
}

export interface RegionParts {
  readonly meter: TokenMeter;
  readonly signal: AbortSignal | undefined;
  /** Of these nodes, in surface order. */
  summarize(seqs: readonly number[]): Promise<Summarized>;
}

/**
 * Replaces one region by its summary. In the log: start, summary, the replacing message, end. The start is the lock;
 * the end comes whatever happens, and without a summary that holds up nothing else changes.
 * @throws HarnessError `COMPACT_NO_TURN`, `COMPACT_RUNNING`, `COMPACT_NOT_ON_SURFACE`, `COMPACT_UNBALANCED`,
 * `COMPACT_SURFACE_CHANGED`, `COMPACT_NOT_SMALLER`, and what `summarize` throws
 */
export async function compactRegion(session: Session, region: Region, parts: RegionParts): Promise<CompactionResult> {
  const turn = mustBeFree(session);
  const shadowedSeqs = shadowedBy(session, region);
  const startSeq = session.append('compact/start', { turn }).seq;
  try {
    const replaced = await replace(session, { startSeq, shadowedSeqs }, parts);
    const endSeq = session.append('compact/end', { turn }).seq;
    return { startSeq, endSeq, ...replaced };
  } catch (error) {
    session.append('compact/end', { turn, error: errorChain(error) });
    throw error;
  }
}

function mustBeFree(session: Session): number {
  const turn = session.openTurn;
  if (turn === undefined) throw refused('there is no open turn', 'COMPACT_NO_TURN');
  if (isCompacting(session)) throw refused('another compaction is running', 'COMPACT_RUNNING');
  return turn;
}

/** Only of the open turn: a start that a crash left in an earlier one locks nothing. */
function isCompacting(session: Session): boolean {
  for (let seq = session.seq - 1; seq >= 0; seq -= 1) {
    const type = session.eventAt(seq)!.type;
    if (type === 'compact/start') return true;
    if (type === 'compact/end' || type === 'turn/start') return false;
  }
  return false;
}

function shadowedBy(session: Session, { start, end }: Region): number[] {
  const { nodes } = session.surface;
  const [from, to] = [nodes.indexOf(start), nodes.indexOf(end)];
  if (from < 0 || to < 0) throw refused(`${from < 0 ? start : end} is not on the surface`, 'COMPACT_NOT_ON_SURFACE');
  if (from > to) throw refused(`${start} stands after ${end}`, 'COMPACT_NOT_ON_SURFACE');
  if (!toolPairingBalancedBefore(session, start) || !toolPairingBalancedAfter(session, end)) {
    throw refused('an edge would part a call from its result', 'COMPACT_UNBALANCED');
  }
  return nodes.slice(from, to + 1);
}

async function replace(
  session: Session,
  { startSeq, shadowedSeqs }: { startSeq: number; shadowedSeqs: number[] },
  { meter, signal, summarize }: RegionParts,
): Promise<Omit<CompactionResult, 'startSeq' | 'endSeq'>> {
  const { nodes } = meter.measure(session);
  const shadowedTokenCount = priceOf(nodes, shadowedSeqs);
  const { text, facts, route, maxTokens } = await summarize(shadowedSeqs);
  signal?.throwIfAborted();
  mustBeUnchanged(nodes, meter.measure(session).nodes);
  const content = frameSummary(text, facts);
  if (meter.estimateMessage({ role: 'user', content }) >= shadowedTokenCount) {
    throw refused('the summary is not smaller than what it replaces', 'COMPACT_NOT_SMALLER');
  }
  const shadowedRange = { start: shadowedSeqs[0]!, end: shadowedSeqs.at(-1)! };
  const summary = [{ type: 'text' as const, text }];
  const proof = { summary, shadowedRange, shadowedSeqs, shadowedTokenCount };
  const summarySeq = session.append('compact/summary', { ...proof, ...route, maxTokens }).seq;
  session.append(
    'user/message',
    { content, source: COMPACT_CHECKPOINT_SOURCE },
    { surfaceOp: { op: 'replace', ...shadowedRange }, sourceEventSeqs: [startSeq, summarySeq, ...shadowedSeqs] },
  );
  return { summarySeq, ...proof };
}

type Nodes = readonly { readonly seq: number; readonly tokens: number }[];

function priceOf(nodes: Nodes, seqs: readonly number[]): number {
  const wanted = new Set(seqs);
  return nodes.reduce((sum, { seq, tokens }) => sum + (wanted.has(seq) ? tokens : 0), 0);
}

/** Events that are not on the surface may have come meanwhile. */
function mustBeUnchanged(before: Nodes, now: Nodes): void {
  if (before.length === now.length && before.every(({ seq }, at) => seq === now[at]!.seq)) return;
  throw refused('the history changed while it was summarized', 'COMPACT_SURFACE_CHANGED');
}

function refused(why: string, code: string): HarnessError {
  return new HarnessError(`nothing was compacted: ${why}`, code);
}
