import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { SEVERITIES } from './finding.ts';
import { lastMark } from './last-mark.ts';

/** `dismissed`: a person resolved its thread. `refuted`: a second look showed that it is none; never told. */
export const FINDING_STATES = ['open', 'fixed', 'dismissed', 'refuted'] as const;

const sha = z.string().regex(/^[0-9a-f]{7,64}$/);

/** One finding over all reviews of a pull request (R6). */
export const LedgerEntry = z.object({
  /** In the comment of its thread; stays when its code, and so its fingerprint, changes. */
  id: z.string(),
  fingerprint: z.string(),
  span: z.number().int().min(0),
  path: z.string(),
  side: z.enum(['LEFT', 'RIGHT']),
  /** At the head reviewed last. */
  line: z.number().int().positive(),
  severity: z.enum(SEVERITIES),
  title: z.string(),
  state: z.enum(FINDING_STATES),
  /** Whether it has a thread of its own. */
  inline: z.boolean(),
  /** Told without a line, since a push had changed its file: the next review looks at it anew (R12). */
  anew: z.boolean().optional(),
  /** The reviewed head at which it was told first. */
  since: sha,
  fixedBy: sha.optional(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export interface Ledger {
  /** Undefined before the first review. */
  readonly reviewedHead: string | undefined;
  readonly entries: readonly LedgerEntry[];
}

export const EMPTY_LEDGER: Ledger = { reviewedHead: undefined, entries: [] };

/** Entries are compressed JSON in base64, which ends no comment and looks like no tag. */
const LEDGER = /^<!-- dsh:ledger ([A-Za-z0-9+/]+={0,2}) -->$/;

/** What a body has room for beside what people read. */
const MAX_LEDGER_CHARS = 22_000;
/** Far more than ever fits. */
const MAX_BYTES = 4 * 1024 ** 2;
const KEPT_FIRST: readonly LedgerEntry['state'][] = ['open', 'dismissed', 'refuted', 'fixed'];

/** The ledger as a hidden part of the review's body, from which any host reads it back. What finds no room is forgotten, settled findings first. */
export function ledgerMarker(entries: readonly LedgerEntry[]): string {
  const sorted = [...entries].sort((a, b) => KEPT_FIRST.indexOf(a.state) - KEPT_FIRST.indexOf(b.state));
  let [fits, tooMany] = [0, sorted.length + 1];
  while (fits + 1 < tooMany) {
    const half = Math.floor((fits + tooMany) / 2);
    if (packed(sorted.slice(0, half)).length <= MAX_LEDGER_CHARS) fits = half;
    else tooMany = half;
  }
  return `<!-- dsh:ledger ${packed(sorted.slice(0, fits))} -->`;
}

function packed(entries: readonly LedgerEntry[]): string {
  return deflateRawSync(JSON.stringify(entries)).toString('base64');
}

/** A review's body as people read it. */
export function withoutLedger(body: string): string {
  const mark = lastMark(body, 'dsh:ledger');
  return mark === undefined ? body : body.replace(mark, () => '');
}

/** The entries of a review's body; undefined where it holds none that can be read. */
export function parseLedger(body: string): LedgerEntry[] | undefined {
  const found = LEDGER.exec(lastMark(body, 'dsh:ledger') ?? '')?.[1];
  if (found === undefined) return undefined;
  try {
    const text = inflateRawSync(Buffer.from(found, 'base64'), { maxOutputLength: MAX_BYTES }).toString();
    const parsed = z.array(LedgerEntry).safeParse(JSON.parse(text));
    return parsed.data;
  } catch {
    return undefined;
  }
}
