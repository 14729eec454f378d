import type { CheckedRequest } from './replay-check.ts';
import type { ComparedTurn, RerunRequest } from './replay-compare.ts';
import type { ReplayLog } from './replay-log.ts';

export interface ReplaySummary {
  /** Requests by what the check said of them. */
  readonly equal: number;
  readonly differing: number;
  readonly unsent: number;
  readonly unproven: number;
  readonly rerun?: { readonly turns: number; readonly equal: number; readonly differing: number };
  /** Nothing differs, and nothing that was answered lacks its digest. */
  readonly proven: boolean;
}

export function summaryOf(
  checked: readonly CheckedRequest[],
  turns: readonly ComparedTurn[] | undefined,
): ReplaySummary {
  const count = (status: CheckedRequest['status']) => checked.filter((request) => request.status === status).length;
  const [equal, differing, unsent, unproven] = [count('equal'), count('differs'), count('unsent'), count('unproven')];
  const rerun = turns && rerunSummary(turns);
  const isSame = (rerun?.differing ?? 0) === 0 && !turns?.some(({ historyDifference }) => historyDifference);
  return {
    equal,
    differing,
    unsent,
    unproven,
    ...(rerun && { rerun }),
    proven: differing === 0 && unproven === 0 && isSame,
  };
}

function rerunSummary(turns: readonly ComparedTurn[]) {
  const requests = turns.flatMap((turn) => turn.requests);
  const equal = requests.filter(({ status }) => status === 'equal').length;
  return { turns: turns.length, equal, differing: requests.length - equal };
}

/** One request on one line, such as `turn 1 step 2  5 messages  0f3a9c01b2d4  equal, rerun equal`. */
export function replayLine(request: CheckedRequest, again: RerunRequest | undefined): string {
  const { turn, step, messages, sent, rebuilt } = request;
  const place = `turn ${turn} step ${step}  ${messages} ${messages === 1 ? 'message' : 'messages'}  ${short(sent ?? rebuilt)}`;
  return `${place}  ${told(request)}${again ? `, ${toldAgain(again)}` : ''}`;
}

function told({ status, rebuilt, suspects }: CheckedRequest): string {
  switch (status) {
    case 'equal':
      return 'equal';
    case 'unsent':
      return 'was not sent';
    case 'unproven':
      return 'has no digest, although the model answered';
    case 'differs':
      return `differs: the log gives ${short(rebuilt)}; changed was ${suspects.map(({ seq, type }) => `event ${seq} (${type})`).join(' or ')}`;
  }
}

function toldAgain({ status, again, difference }: RerunRequest): string {
  if (status === 'missing') return `rerun sent none: ${difference ?? 'no reason is known'}`;
  const where = difference === undefined ? '' : `: the log has another ${difference}`;
  return status === 'equal' ? `rerun equal${where}` : `rerun differs: it gives ${short(again)}${where}`;
}

export function summaryLines(
  { meta, isTorn }: ReplayLog,
  summary: ReplaySummary,
  turns: readonly ComparedTurn[] | undefined,
): string[] {
  const { equal, differing, unsent, unproven, rerun } = summary;
  const parts = [
    `${equal} equal`,
    ...(differing ? [`${differing} differ`] : []),
    ...(unproven ? [`${unproven} without a digest`] : []),
    ...(unsent ? [`${unsent} not sent`] : []),
  ];
  const histories = (turns ?? []).flatMap(({ turn, historyDifference: path }) =>
    path ? [`After turn ${turn} the rerun has another ${path}.`] : [],
  );
  return [
    ...(isTorn ? ['The end of the file is torn; what could not be read was left out.'] : []),
    ...histories,
    `${meta.id}: ${equal + differing + unsent + unproven} requests rebuilt from the log: ${parts.join(', ')}.`,
    ...(rerun
      ? [
          `${rerun.turns} turns run again: ${rerun.equal} requests equal${rerun.differing ? `, ${rerun.differing} not` : ''}.`,
        ]
      : []),
  ];
}

function short(sha256: string | undefined): string {
  return sha256?.slice(0, 12) ?? '-';
}
