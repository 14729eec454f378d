import { callsAll, calls, says } from '../../../src/demo/model/reply.ts';
import type { MemoryScript } from '../../support/memory-bash.ts';
import type { WireReply } from './wire-model.ts';

/** Requests of a long session: a plan, one fix over three processes, and one request of another model. */
export const PLAN_STEPS = 4;
const STEPS = 200;
const QUESTION_AT = 60;
const RESTART_AT = 100;
/** The first of two calls of one message. */
export const TWO_CALLS_AT = 106;
const PRUNED_FROM = 140;
const CONDENSED_FROM = 150;
/** The fix's own last request. */
export const LAST = PLAN_STEPS + STEPS - 1;

const RESULT = {
  ...{ outcome: 'fixed', title: 'Mend the price', summary: 'The price is 2.', cause: 'a.txt:1' },
  ...{ verification: [], notes: [] },
};

/** What happens around the model while it answers. */
export interface Around {
  /** The process is asked to end. */
  restart(): void;
  steer(text: string): void;
  /** What a tool would have written. */
  change(): void;
}

/** Everything that can happen between two requests of one session, by how many were sent before. */
export function longScript(around: Around): (at: number) => WireReply {
  return (at) => {
    if (at < PLAN_STEPS - 2) return bash(`run ${at}`);
    if (at === PLAN_STEPS - 2) return calls('submit_plan', { plan: '# Goal\n\nMend the price.' });
    if (at > LAST) return calls('submit_result', { ...RESULT, outcome: 'nothing_to_do' });
    if (at >= LAST - 1) return { ...calls('submit_result', RESULT), before: () => around.change() };
    return fixStep(at - PLAN_STEPS + 1, around);
  };
}

function fixStep(n: number, around: Around): WireReply {
  if (n === QUESTION_AT) return asks();
  if (n === RESTART_AT) return { ...bash(`run ${n}`), before: () => around.restart() };
  if (n >= PRUNED_FROM && n < PRUNED_FROM + 3) return bash(`long ${n}`);
  if (n >= CONDENSED_FROM && n < CONDENSED_FROM + 20) return bash(`page ${n}`);
  switch (n % 40) {
    case 7:
      return says('I will look at it now.'); // a nudge
    case 13:
      return calls('no_such_tool', { x: n });
    case 17:
      return calls('bash', '{"command": ');
    case 20:
    case 21:
    case 22:
      return bash('git --version'); // three times the same: a note
    case 26:
      return callsAll([call(`run ${n}`), call(`run ${n + 1}`)]);
    case 30:
      return { ...bash(`run ${n}`), reasoning: `thought ${n}: ≥ 😀 "quoted"` };
    case 35:
      return { ...bash(`run ${n}`), before: () => around.steer(`Mind the tax (${n}).`) };
    default:
      return bash(`run ${n}`);
  }
}

const bash = (command: string): WireReply => calls('bash', { command, description: 'look' });
const call = (command: string) => ({ name: 'bash', arguments: JSON.stringify({ command, description: 'two' }) });
const asks = (): WireReply =>
  calls('ask_user_question', { questions: [{ id: 'q', question: 'Which price?', options: [{ label: '2' }] }] });

/** Every ninth of the ordinary commands fails; three outputs are long enough to be pruned. */
export const LONG_COMMANDS: Readonly<Record<string, MemoryScript>> = Object.fromEntries(
  Array.from({ length: STEPS + 10 }, (_, n) => [
    [`run ${n}`, { stdout: `output ${n}\n`, exitCode: n % 9 === 0 ? 1 : 0 }] as const,
    [`long ${n}`, { stdout: `a long line of ${n}\n`.repeat(800) }] as const,
    [`page ${n}`, { stdout: `a line of page ${n}\n`.repeat(400) }] as const,
  ]).flat(),
);
