import { SessionId } from '../../../src/harness/session/types.ts';
import type { Facts } from '../../../src/triggers/intake.ts';

/** What is looked up for somebody who may write, on a subject where nothing runs or waits. */
export function factsOf(changed: Partial<Facts> = {}): Facts {
  return {
    permission: 'write',
    causeTaken: false,
    commands: 1,
    limitTold: false,
    session: SessionId('gh-9-3-1'),
    running: undefined,
    open: [],
    lastJob: undefined,
    machineTurns: 0,
    plugged: [],
    ...changed,
  };
}
