import type { Handled } from '../handle-event.ts';
import { assembleBody } from '../publish/markdown/body.ts';
import type { BodyPart } from '../publish/markdown/body.ts';
import { describeOutcome } from '../bot/telling/describe-ending.ts';

/** The job summary of a run, in the words of the progress comment. Pure. */
export function actionSummary(handled: readonly Handled[]): string {
  const parts = handled.flatMap(({ status, why, outcome, problem }): BodyPart[] => [
    { kind: 'markdown', text: `### dsh: ${status}${why ? ` (${why})` : ''}` },
    ...(status === 'parked' ? [{ kind: 'markdown', text: ASKED } as const] : []),
    ...(outcome ? describeOutcome(outcome) : []),
    ...(problem ? [{ kind: 'said', text: `${problem.message}\n\n${problem.hint ?? ''}` } as const] : []),
    ...(outcome
      ? [
          {
            kind: 'markdown',
            text: `${outcome.tokens} tokens, ${outcome.cost === undefined ? 'cost unknown' : `$${outcome.cost.toFixed(4)}`}`,
          } as const,
        ]
      : []),
  ]);
  return assembleBody(parts);
}

const ASKED = 'A comment asks people something. Their answer starts a run that goes on from here.';
