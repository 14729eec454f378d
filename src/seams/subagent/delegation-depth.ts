import type { Agent } from '../../harness/agent/types.ts';
import { SubagentError } from './subagent-error.ts';
import './types.ts';

/** How many delegations stand above an agent. The header is what lasts; a runtime option can only deepen it. */
export function delegationDepthOf({ session, options }: Pick<Agent, 'session' | 'options'>): number {
  const { delegationDepth: stored = 0 } = session.header;
  const { subagentDepth: given = 0 } = options;
  assertDepth(stored, 'the depth in the session header');
  assertDepth(given, 'subagentDepth');
  return Math.max(stored, given);
}

/** Throws `INVALID_DEPTH`, or `DEPTH_OUT_OF_RANGE` beyond safe integers. */
export function assertSubagentMaxDepth(value: unknown): asserts value is number {
  assertDepth(value, 'maxDepth');
}

/**
 * The depth of a child of `parent`.
 * @throws SubagentError `DEPTH_EXCEEDED` beyond `maxDepth`, `DEPTH_OUT_OF_RANGE` where no deeper one can be counted
 */
export function childDepth(parent: Pick<Agent, 'session' | 'options'>, maxDepth: number | undefined): number {
  const depth = delegationDepthOf(parent) + 1;
  if (!Number.isSafeInteger(depth)) throw new SubagentError('no deeper child can be counted', 'DEPTH_OUT_OF_RANGE');
  if (maxDepth === undefined || depth <= maxDepth) return depth;
  throw new SubagentError(
    `a child would be at depth ${depth}, and the limit is ${maxDepth} — do the work in this session`,
    'DEPTH_EXCEEDED',
  );
}

function assertDepth(value: unknown, name: string): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new SubagentError(`${name} is beyond what can be counted`, 'DEPTH_OUT_OF_RANGE');
  }
  if (!Number.isInteger(value) || (value as number) < 0 || Object.is(value, -0)) {
    throw new SubagentError(`${name} must be a whole number of at least 0, not ${String(value)}`, 'INVALID_DEPTH');
  }
}
