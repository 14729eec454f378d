import { headerEquals } from '../../harness/session/request-header.ts';
import type { EpochHeader, SessionEvent, SurfaceOp } from '../../harness/session/types.ts';
import { inputTokensOf } from './billed-usage.ts';

/** Why a request does not begin with the one before it: another header, or a history that was rewritten. */
export type PrefixBreak = 'header' | 'history';

/** What one step's request sent, in tokens. */
export interface StepInput {
  readonly turn: number;
  readonly step: number;
  readonly cached: number;
  readonly uncached: number;
  /** Logged since the request before. */
  readonly breaks: readonly PrefixBreak[];
  /** Share of what the request before had sent that came from the cache; undefined after a break, and at the first one. */
  readonly hitShare: number | undefined;
}

/** What the steps of a turn sent together; `missed` counts those of `missedCache`. */
export interface InputUse {
  readonly cached: number;
  readonly uncached: number;
  readonly missed: number;
}

/** The input of each step whose provider tells what it had in its cache, in log order (PR63). Pure. */
export function stepInputs(events: readonly SessionEvent[]): StepInput[] {
  const steps: StepInput[] = [];
  let header: EpochHeader | undefined;
  let sentBefore: number | undefined;
  let breaks = new Set<PrefixBreak>();
  for (const event of events) {
    const broken = breakBy(event, header);
    if (broken) breaks.add(broken);
    if (event.type === 'request/header') header = event.data.header;
    if (event.type !== 'assistant/message' || event.surfaceOp !== 'append') continue;
    const { turn, step, usage } = event.data;
    const sent = usage && inputTokensOf(usage);
    if (usage?.cacheReadTokens !== undefined) {
      const cached = usage.cacheReadTokens;
      const hitShare = sentBefore && breaks.size === 0 ? cached / sentBefore : undefined;
      steps.push({ turn, step, cached, uncached: sent! - cached, breaks: [...breaks], hitShare });
    }
    sentBefore = sent;
    breaks = new Set();
  }
  return steps;
}

const FIRST_JUDGED_STEP = 3;
const EXPECTED_SHARE = 0.9;

/** Steps that paid again for what had been sent before, without a break in the log that explains it. Pure. */
export function missedCache(steps: readonly StepInput[]): StepInput[] {
  return steps.filter(
    ({ step, hitShare }) => step >= FIRST_JUDGED_STEP && hitShare !== undefined && hitShare < EXPECTED_SHARE,
  );
}

/** Undefined where the provider tells nothing of a cache. Pure. */
export function inputUse(events: readonly SessionEvent[]): InputUse | undefined {
  const steps = stepInputs(events);
  if (steps.length === 0) return undefined;
  const sum = (part: 'cached' | 'uncached') => steps.reduce((total, step) => total + step[part], 0);
  return { cached: sum('cached'), uncached: sum('uncached'), missed: missedCache(steps).length };
}

function breakBy(event: SessionEvent, header: EpochHeader | undefined): PrefixBreak | undefined {
  if (event.type === 'request/header') return header && !headerEquals(header, event.data.header) ? 'header' : undefined;
  const { surfaceOp } = event as { surfaceOp?: SurfaceOp };
  return typeof surfaceOp === 'object' ? 'history' : undefined;
}
