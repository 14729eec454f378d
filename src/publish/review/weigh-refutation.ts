import type { Finding } from './finding.ts';
import { citedPlaces } from './cited-places.ts';
import { quotesCommand } from './weigh-finding.ts';

/** What a fresh look at a finding came to. */
export interface Refutation {
  readonly verdict: 'refuted' | 'confirmed' | 'unclear';
  readonly reason: string;
  readonly proof: string;
  /** Those it ran. */
  readonly commands: readonly string[];
  /** Lines of the files its proof cites; those the head does not hold are missing. */
  readonly lines: ReadonlyMap<string, number>;
}

const DOUBT = 0.15;
const SEEN = 0.9;

/** The finding after a second look (PR49); undefined where it was refuted with a proof that resolves. Pure. */
export function weighRefutation(finding: Finding, look: Refutation | undefined): Finding | undefined {
  if (!look) return finding;
  if (look.verdict === 'refuted' && resolves(look)) return undefined;
  if (look.verdict === 'confirmed') {
    const wasRun = quotesCommand(look.proof, look.commands);
    return wasRun ? { ...finding, confidence: Math.max(finding.confidence, SEEN) } : finding;
  }
  return { ...finding, confidence: Math.round((finding.confidence - DOUBT) * 100) / 100 };
}

/** Whether its proof is a line that is there, or a command that was run. */
export function resolves({ proof, commands, lines }: Refutation): boolean {
  const isThere = citedPlaces(proof, (path) => lines.has(path)).some(
    ({ path, line }) => line > 0 && line <= (lines.get(path) ?? 0),
  );
  return isThere || quotesCommand(proof, commands);
}
