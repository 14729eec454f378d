import type { Finding } from './finding.ts';
import { citedPlaces } from './cited-places.ts';

/** What the head holds, to check what a proof cites. */
export interface HeadFiles {
  has(path: string): boolean;
}

/** Words of a mere possibility, in which nothing happens to anything. */
const POSSIBILITY = /\b(could|might|may|possibly|potentially|perhaps|theoretically)\b|可能|也许|或许/i;
/** A value: a number, a quotation, code, or a name with structure. */
const VALUE = /\d|["'`“”«»「」]|\w[_.()/]\w|[a-z][A-Z]|\b(null|undefined|empty|true|false|none|nil|zero|negative)\b|空/;

/** What is missing for a claim to be worth its evidence (PR41), as a text for the model; undefined where nothing is. Pure. */
export function missingInFinding({ scenario, evidence, proof }: Finding, head: HeadFiles): string | undefined {
  if (POSSIBILITY.test(scenario) && !VALUE.test(scenario)) {
    return 'scenario: this names a possibility — name the input, state or order of events with its value, and the wrong outcome';
  }
  if (evidence === 'ran') return undefined;
  const cited =
    evidence === 'traced' ? citedPlaces(proof, (path) => head.has(path)).map(({ path }) => path) : pathsIn(proof, head);
  if (cited.length === 0) {
    return evidence === 'traced'
      ? 'proof: a trace cites each hop as path:line, from the input to the harm'
      : 'proof: quote the rule, and name the file of this repository it stands in';
  }
  const unknown = cited.find((path) => !head.has(path));
  return unknown === undefined
    ? undefined
    : `proof: the head holds no ${unknown} — cite files by their path from the root of the repository`;
}

/** Words of the proof that name a file; of a rule it is enough that one does. */
function pathsIn(proof: string, head: HeadFiles): string[] {
  const words = proof.match(/[\w@.+-][\w@./+-]*/g) ?? [];
  const known = words.map((word) => word.replace(/\.$/, '')).filter((word) => head.has(word));
  return known.length > 0 ? known : words.filter((word) => /\.\w+$/.test(word));
}
