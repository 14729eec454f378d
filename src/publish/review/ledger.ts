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
  span: z.number().int().positive(),
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

const LEDGER = /^<!-- dsh:ledger (\[.*\]) -->$/;

/** What a body has room for beside what people read. */
const MAX_LEDGER_CHARS = 22_000;
const KEPT_FIRST: readonly LedgerEntry['state'][] = ['open', 'dismissed', 'refuted', 'fixed'];

/** The ledger as a hidden part of the review's body, from which any host reads it back. What finds no room is forgotten, settled findings first. */
export function ledgerMarker(entries: readonly LedgerEntry[]): string {
  const sorted = [...entries].sort((a, b) => KEPT_FIRST.indexOf(a.state) - KEPT_FIRST.indexOf(b.state));
  const kept: string[] = [];
  let size = 0;
  for (const entry of sorted) {
    const text = hideable(JSON.stringify(entry));
    if ((size += text.length + 1) > MAX_LEDGER_CHARS) break;
    kept.push(text);
  }
  return `<!-- dsh:ledger [${kept.join(',')}] -->`;
}

/** Nothing in it may end the comment or look like a tag. */
function hideable(json: string): string {
  return json.replaceAll(/[<>]|--/g, (found) =>
    [...found].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  );
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
    const parsed = z.array(LedgerEntry).safeParse(JSON.parse(found));
    return parsed.data;
  } catch {
    return undefined;
  }
}
