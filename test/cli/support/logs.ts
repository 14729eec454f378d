import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaySession } from '../../../src/cli/replay.ts';
import type { CheckedRequest } from '../../../src/cli/replay-check.ts';
import type { ComparedTurn } from '../../../src/cli/replay-compare.ts';
import type { ReplaySummary } from '../../../src/cli/replay-report.ts';
import type { Session } from '../../../src/harness/session/session.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';

export interface Replayed {
  readonly code: number;
  readonly said: readonly string[];
  readonly result: {
    readonly requests: readonly CheckedRequest[];
    readonly rerun?: readonly ComparedTurn[];
    readonly summary: ReplaySummary;
  };
}

/** The lines `dsh sessions export` prints of a session. */
export function exported({ header }: Session, events: readonly SessionEvent[]): string {
  return [{ type: 'session', ...header, delegationDepth: 0 }, ...events]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

/** Replays a file with these bytes. Rejects as the command does. */
export async function replayFile(bytes: string | Buffer, rerun = false): Promise<Replayed> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-replay-'));
  const said: string[] = [];
  let result: unknown;
  const output = { say: (line: string) => void said.push(line), result: (value: unknown) => void (result = value) };
  try {
    const file = join(folder, 'log.jsonl');
    await writeFile(file, bytes);
    const code = await replaySession(file, { rerun }, { DSH_DATA_DIR: folder }, output);
    return { code, said, result: result as Replayed['result'] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The log with one event changed, as somebody with an editor would. */
export function tampered(
  events: readonly SessionEvent[],
  type: SessionEvent['type'],
  change: (text: string) => string,
  nth = 0,
): { events: SessionEvent[]; seq: number } {
  const { seq } = events.filter((event) => event.type === type)[nth]!;
  const text = JSON.stringify(events[seq]);
  const changed = change(text);
  if (changed === text) throw new Error(`nothing changed in ${text}`);
  return { events: events.with(seq, JSON.parse(changed) as SessionEvent), seq };
}

/** The log without some events, numbered anew, as somebody would who knows the format. */
export function without(events: readonly SessionEvent[], type: SessionEvent['type']): SessionEvent[] {
  const kept = events.filter((event) => event.type !== type);
  const places = new Map(kept.map(({ seq }, index) => [seq, index]));
  const move = (seqs: number[] | undefined) => seqs && { sourceEventSeqs: seqs.map((seq) => places.get(seq)!) };
  return kept.map(
    (event, seq) =>
      ({ ...event, seq, ...move((event as { sourceEventSeqs?: number[] }).sourceEventSeqs) }) as SessionEvent,
  );
}
