import { forkSeed } from '../../harness/session/fork-seed.ts';
import type { Session } from '../../harness/session/session.ts';
import type { SessionEvent } from '../../harness/session/types.ts';

/** The log through its last `turn/end`: never anything of the turn that is open. Empty where no turn has ended. */
export function completedSeed(parent: Session): readonly SessionEvent[] {
  for (let seq = parent.seq - 1; seq >= 0; seq--) {
    if (parent.eventAt(seq)?.type === 'turn/end') return forkSeed(parent, seq);
  }
  return [];
}
