import type { HookContext } from '../../harness/agent/types.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import type { Config } from '../../config/config.ts';
import { dataContext } from '../context/request-prompt.ts';
import type { Profile } from '../limits/profile.ts';
import type { NetworkRequests } from '../session/session-events.ts';

/** The dependencies a turn's tree is to have before its container starts (C6). */
export interface SetupRequest {
  readonly session: string;
  readonly checkout: Checkout;
  readonly config: Config;
  readonly profile: Profile;
  /** The branch that the work will be merged into. */
  readonly baseBranch: string;
  readonly signal: AbortSignal;
  readonly onCommand: (command: string) => void;
}

/** What became of it. `requests` is what it asked of the network. */
export interface SetupReport {
  readonly outcome: 'ready' | 'left out' | 'failed';
  /** Why there are no dependencies, in a sentence. */
  readonly reason?: string;
  /** What the failing command printed last. */
  readonly output?: string;
  readonly requests: readonly NetworkRequests[];
}

/** Tells the model that dependencies may be missing; when all is well there is nothing to tell. */
export function setupContexts(report: SetupReport | undefined): HookContext[] {
  if (!report || report.outcome === 'ready') return [];
  const text = [`${report.reason} Dependencies may be missing.`, report.output].filter(Boolean).join('\n\n');
  return [dataContext({ kind: 'setup', text })];
}
