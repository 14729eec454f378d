import { Context } from '../src/harness/kernel/context.ts';
import { sessionStore } from '../src/harness/session/session-store.ts';
import type { Session } from '../src/harness/session/session.ts';
import { SessionId } from '../src/harness/session/types.ts';
import { addStep } from './add-step.ts';
import { median, ratioRow } from './benchmark.ts';
import type { Benchmark } from './benchmark.ts';

const STEPS_MEASURED = 50;

/** B10: what one step's `deriveMessages()` costs at event 100,000 against event 1,000. */
export const derive: Benchmark = {
  id: 'B10',
  async run(rounds) {
    const [small, large] = [await grown(1_000), await grown(100_000)];
    const ratios = Array.from({ length: rounds * 3 }, () => ({ small: perStep(small), large: perStep(large) }));
    const figure = median(ratios.map((round) => round.large));
    const reference = median(ratios.map((round) => round.small));
    return [
      ratioRow(
        'B10',
        'derive a step at event 100,000 (against 1,000)',
        { figure, reference, unit: 'µs' },
        { atMost: 1.1 },
      ),
    ];
  },
};

/** A session of chunks, as a long streamed turn leaves it: few messages, many events. */
async function grown(events: number): Promise<Grown> {
  const ctx = new Context();
  await ctx.plugin(sessionStore);
  const session = ctx.sessions.create(SessionId(`bench-${events}`));
  session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
  const state = { session, step: 0 };
  while (session.seq < events) addStep(state.session, ++state.step, 400);
  session.deriveMessages();
  return state;
}

interface Grown {
  readonly session: Session;
  step: number;
}

/** Microseconds of one derivation after one more step. */
function perStep(state: Grown): number {
  let spent = 0;
  for (let i = 0; i < STEPS_MEASURED; i++) {
    addStep(state.session, ++state.step, 1);
    const startedAt = performance.now();
    state.session.deriveMessages();
    spent += performance.now() - startedAt;
  }
  return (spent / STEPS_MEASURED) * 1_000;
}
