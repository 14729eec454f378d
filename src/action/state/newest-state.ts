import { openSealed } from './seal.ts';
import type { Opened, SealedFor } from './seal.ts';
import type { Candidate, StatePlace } from './state-place.ts';

export interface FoundState extends Opened {
  /** The candidate that holds it. */
  readonly id: string;
}

export interface Looking {
  readonly owner: SealedFor;
  /** Whether a session is one that this place is for. */
  readonly isMeant: (session: string) => boolean;
  /** What was looked at before, and is not again; all that is looked at comes in here. */
  readonly known: Set<string>;
  /** Hears of each that is not ours, or holds nothing that could be: gone, too large, no zip of one file. */
  readonly onIgnored: (id: string, why: 'not-ours' | 'nothing') => undefined;
}

/** Of two that were saved at once both are looked at; in vain, only so many: of our own, and of what anybody put there. */
const OPENED = 3;
const READ = 20;

/** Of what is there and opens, the one saved last: by its counter, and of two runs that saved at once the first. */
export async function newestState(
  place: StatePlace,
  looking: Looking,
  signal: AbortSignal,
): Promise<FoundState | undefined> {
  const found: FoundState[] = [];
  const left = { own: { opened: OPENED, read: READ }, foreign: { opened: OPENED, read: READ } };
  for await (const candidate of place.find(signal)) {
    const limits = candidate.isOwn ? left.own : left.foreign;
    if (limits.opened === 0 || limits.read-- <= 0 || looking.known.has(candidate.id)) continue;
    looking.known.add(candidate.id);
    const opened = await open(candidate, looking);
    if (!opened) continue;
    found.push(opened);
    limits.opened--;
  }
  return found.toSorted((a, b) => b.counter - a.counter || Number(a.id) - Number(b.id))[0];
}

async function open(candidate: Candidate, looking: Looking): Promise<FoundState | undefined> {
  const bytes = await candidate.read();
  if (!bytes) return looking.onIgnored(candidate.id, 'nothing');
  const opened = openSealed(bytes, looking.owner);
  if (opened && isItsOwn(opened, candidate) && looking.isMeant(opened.session)) return { ...opened, id: candidate.id };
  return looking.onIgnored(candidate.id, 'not-ours');
}

/** Anybody can download what a run sealed, and upload it again in a run of his own, when it would be long out of date. */
function isItsOwn(opened: Opened, { run }: Candidate): boolean {
  return run === undefined || opened.run === run;
}
