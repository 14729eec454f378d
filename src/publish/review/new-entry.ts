import type { KeyedFinding } from './key-findings.ts';
import type { LedgerEntry } from './ledger.ts';
import type { PlacedFinding } from './place-finding.ts';

export interface ToldFinding extends KeyedFinding {
  readonly placed: PlacedFinding;
}

/** Ids for findings that are told now: two at the same code have two. Pure. */
export function idsOf(told: readonly ToldFinding[], earlier: readonly LedgerEntry[]): string[] {
  const taken = new Set(earlier.map(({ id }) => id));
  return told.map(({ mark }) => {
    let id = mark.fingerprint;
    for (let nth = 2; taken.has(id); nth++) id = `${mark.fingerprint}-${nth}`;
    taken.add(id);
    return id;
  });
}

export interface EntryFacts {
  readonly id: string;
  readonly isInline: boolean;
  readonly facts: { readonly headSha: string; readonly changedMeanwhile: ReadonlySet<string> };
}

/** What the ledger keeps of it. What a push has changed meanwhile is looked at anew by the next review (R12). Pure. */
export function newEntry({ finding, mark, placed }: ToldFinding, { id, isInline, facts }: EntryFacts): LedgerEntry {
  const { path, side, severity, title } = finding;
  const line = placed.place?.endLine ?? finding.endLine;
  const told = { path, side, line, severity, title: title.slice(0, 120) };
  const anew = facts.changedMeanwhile.has(finding.path) && { anew: true };
  return { id, ...mark, ...told, state: 'open', inline: isInline, ...anew, since: facts.headSha };
}
