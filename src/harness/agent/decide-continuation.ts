import { snapshotPrompt } from './snapshot-input.ts';
import type { Turn } from './turn.ts';
import type { ContinuationDecision } from './types.ts';

/** Whether the turn takes another step. Plugins may change the loop's own view, and stop the turn for good. */
export async function decideContinuation(turn: Turn, goOn: boolean): Promise<boolean> {
  const { loop } = turn;
  loop.deciding = true;
  try {
    const decision = await turn.settled(askPlugins(turn, { action: goOn ? 'continue' : 'stop' }));
    if (decision.action === 'continue' && decision.reason) {
      const { content, source } = decision.reason;
      loop.inbox.steer(snapshotPrompt(content, { source }));
    }
    const more = decision.action === 'continue' || loop.inbox.hasSteering;
    return !(await isStoppedForGood(turn)) && more;
  } finally {
    loop.deciding = false;
  }
}

function askPlugins(turn: Turn, byDefault: ContinuationDecision): Promise<ContinuationDecision> {
  return turn.loop.events.waterfall('agent/turn-continuation', turn.number, byDefault, turn.signal, () =>
    Promise.resolve(byDefault),
  );
}

async function isStoppedForGood(turn: Turn): Promise<boolean> {
  const stop = await turn.settled(turn.loop.events.serial('agent/turn-stop', turn.number, turn.signal));
  turn.stoppedForGood = stop !== undefined;
  return turn.stoppedForGood;
}
