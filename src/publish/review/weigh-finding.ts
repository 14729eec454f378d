import { citedPlaces } from './cited-places.ts';
import type { Finding } from './finding.ts';

/** Confidence is read off the evidence (PR42); a trace with one stated assumption has the lower band of the two. */
const BANDS = {
  ran: [0.9, 1],
  traced: [0.7, 0.85],
  assumed: [0.5, 0.65],
  rule: [0.8, 0.9],
} as const;

/**
 * What a finding is worth (PR40, PR42): confidence in the band of its evidence, `ran` only for what was run, `blocker`
 * only for what was run or traced whole. Undefined for a nit that breaks no written rule. Pure.
 */
export function weighFinding(finding: Finding, commandsRun: readonly string[]): Finding | undefined {
  const evidence =
    finding.evidence === 'ran' && !quotesCommand(finding.proof, commandsRun) ? 'traced' : finding.evidence;
  if (finding.severity === 'nit' && evidence !== 'rule') return undefined;
  const band = bandOf(evidence, finding.confidence);
  const isProven = evidence === 'ran' || (band === 'traced' && citedPlaces(finding.proof).length > 1);
  const severity = finding.severity === 'blocker' && !isProven ? 'major' : finding.severity;
  return { ...finding, evidence, severity, confidence: clamp(finding.confidence, BANDS[band]) };
}

/** Whether a proof quotes one of the commands that were run. */
export function quotesCommand(proof: string, commandsRun: readonly string[]): boolean {
  const said = blankless(proof);
  const quoted = [...proof.matchAll(/`([^`]{4,})`/g)].map(([, text = '']) => blankless(text));
  return commandsRun
    .map(blankless)
    .some((command) => command !== '' && (said.includes(command) || quoted.some((text) => command.includes(text))));
}

/** Found by two readers that did not know of each other (PR48). */
export function raiseWithinBand(finding: Finding): Finding {
  const [, most] = BANDS[bandOf(finding.evidence, finding.confidence)];
  return { ...finding, confidence: Math.min(most, finding.confidence + 0.1) };
}

/** Below the lowest band a finding should not have been reported; it is left for the filter. */
function bandOf(evidence: Finding['evidence'], confidence: number): keyof typeof BANDS {
  if (evidence !== 'traced') return evidence;
  return confidence >= (BANDS.assumed[1] + BANDS.traced[0]) / 2 ? 'traced' : 'assumed';
}

function clamp(confidence: number, [least, most]: readonly [number, number]): number {
  return confidence < BANDS.assumed[0] ? confidence : Math.min(most, Math.max(least, confidence));
}

function blankless(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
