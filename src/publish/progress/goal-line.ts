import type { SessionEvent } from '../../harness/session/types.ts';
import { changeOf } from '../../seams/goal/fold-goal.ts';
import { PROGRESS_TEXTS } from './progress-texts.ts';
import type { ProgressTexts } from './progress-texts.ts';
import { inertInline } from '../markdown/inert-line.ts';

const SHOWN_CHARS = 300;

/** The goal that a job works at, as the log has it, for its progress. Undefined where there is none. Pure. */
export function goalLine(
  events: readonly SessionEvent[],
  redact: (text: string) => string,
  texts: Pick<ProgressTexts, 'goal' | 'phases'> = PROGRESS_TEXTS.en,
): string | undefined {
  const change = events.map(changeOf).findLast((one) => one !== undefined);
  if (!change || change.operation === 'clear') return undefined;
  const { objective, phase, maxGoalRounds, blockedReason } = change.goal;
  const round = Math.max(change.roundsStarted, ...events.map(roundOf));
  const shown = (text: string) => inertInline(redact(text).replaceAll(/\s+/g, ' ').slice(0, SHOWN_CHARS));
  const why = blockedReason ? `: ${shown(blockedReason.message)}` : '';
  return texts.goal(`${texts.phases[phase]}${why}`, round, maxGoalRounds, shown(objective));
}

function roundOf({ type, data }: SessionEvent): number {
  return type === 'user/message' && data.source.kind === 'goal' ? data.source.round : 0;
}
