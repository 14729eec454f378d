import { EXIT } from './exit-code.ts';
import { checkRequests } from './replay-check.ts';
import type { CheckedRequest } from './replay-check.ts';
import { compareTurn } from './replay-compare.ts';
import type { ComparedTurn } from './replay-compare.ts';
import { readReplayLog } from './replay-log.ts';
import type { ReplayLog } from './replay-log.ts';
import { recordTurns } from './replay-recording.ts';
import { rerunTurn } from './replay-rerun.ts';
import { replayLine, summaryLines, summaryOf } from './replay-report.ts';

interface Output {
  say(line: string): void;
  result(value: unknown): void;
}

/**
 * Proves a log: every request is rebuilt from it and held against the digest that was logged when it was sent. With
 * `rerun` the turns run again, too, and must send the same. Exits with 1 if anything differs.
 */
export async function replaySession(
  target: string,
  { rerun }: { readonly rerun: boolean },
  variables: Readonly<Record<string, string | undefined>>,
  output: Output,
): Promise<number> {
  const log = await readReplayLog(target, variables);
  const checked = checkRequests(log.events);
  const turns = rerun ? await rerunAll(log, checked) : undefined;
  const again = new Map(
    turns?.flatMap(({ requests }) => requests).map((request) => [`${request.turn}/${request.step}`, request]),
  );
  for (const request of checked) output.say(replayLine(request, again.get(`${request.turn}/${request.step}`)));
  const summary = summaryOf(checked, turns);
  for (const line of summaryLines(log, summary, turns)) output.say(line);
  output.result({ session: log.meta.id, torn: log.isTorn, requests: checked, ...(turns && { rerun: turns }), summary });
  return summary.proven ? EXIT.done : EXIT.failed;
}

async function rerunAll(log: ReplayLog, checked: readonly CheckedRequest[]): Promise<ComparedTurn[]> {
  const turns: ComparedTurn[] = [];
  const isProven = provenBy(log, checked);
  for (const recording of recordTurns(log.events)) {
    turns.push(compareTurn(log.events, recording, await rerunTurn(log, recording, isProven)));
  }
  return turns;
}

/** Whether a request that stands later in the log is the one that was sent, and so proves what stands before it. */
function provenBy({ events }: ReplayLog, checked: readonly CheckedRequest[]): (seq: number) => boolean {
  const equal = new Set(checked.filter(({ status }) => status === 'equal').map(({ turn, step }) => `${turn}/${step}`));
  const last = events.findLast(
    (event) => event.type === 'step/start' && equal.has(`${event.data.turn}/${event.data.step}`),
  );
  return (seq) => last !== undefined && seq < last.seq;
}
