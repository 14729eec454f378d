import { SEVERITIES } from './finding.ts';
import type { LedgerEntry } from './ledger.ts';
import type { PlacedFinding } from './place-finding.ts';

export interface SarifFacts {
  /** Of dsh. */
  readonly version: string;
  readonly repositoryUrl: string;
  readonly headSha: string;
  /** Findings of earlier reviews: what a log does not name, code scanning takes for fixed. */
  readonly stillOpen?: readonly LedgerEntry[];
}

const LEVELS = { blocker: 'error', major: 'warning', minor: 'note', nit: 'note' } as const;
const MEANINGS = {
  blocker: 'Data lost, a hole that an untrusted party can reach, the main path or a promise to callers broken',
  major: 'A wrong result, crash, leak or hang on input that will occur',
  minor: 'Real, but rare or cheap',
  nit: 'Breaks a written rule of the repository',
} as const;

/** Findings as a SARIF 2.1.0 log for code scanning (R9). https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html Pure. */
export function toSarif(
  findings: readonly PlacedFinding[],
  { version, repositoryUrl, headSha, stillOpen = [] }: SarifFacts,
): object {
  const rules = SEVERITIES.map((severity) => ({
    id: `dsh/${severity}`,
    shortDescription: { text: MEANINGS[severity] },
    defaultConfiguration: { level: LEVELS[severity] },
  }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'dsh', version, rules } },
        versionControlProvenance: [{ repositoryUri: repositoryUrl, revisionId: headSha }],
        results: [...findings.map(resultOf), ...stillOpen.map(earlierResult)],
      },
    ],
  };
}

function resultOf({ finding, place, fingerprint }: PlacedFinding): object {
  const { severity, title, body, confidence } = finding;
  return {
    ...ruleOf(severity),
    message: { text: `${title}\n\n${body}` },
    locations: [{ physicalLocation: { artifactLocation: artifactOf(finding.path), ...regionOf(finding, place) } }],
    ...(fingerprint && { partialFingerprints: { 'dshFinding/v1': fingerprint } }),
    properties: { confidence },
  };
}

function earlierResult({ path, side, line, severity, title, fingerprint }: LedgerEntry): object {
  const region = side === 'RIGHT' && { region: { startLine: line, endLine: line } };
  return {
    ...ruleOf(severity),
    message: { text: title },
    locations: [{ physicalLocation: { artifactLocation: artifactOf(path), ...region } }],
    partialFingerprints: { 'dshFinding/v1': fingerprint },
  };
}

function ruleOf(severity: LedgerEntry['severity']): object {
  return { ruleId: `dsh/${severity}`, ruleIndex: SEVERITIES.indexOf(severity), level: LEVELS[severity] };
}

function artifactOf(path: string): object {
  return { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' };
}

/** Regions are lines of the head; what was removed has none there. */
function regionOf({ side, startLine, endLine }: PlacedFinding['finding'], place: PlacedFinding['place']): object {
  const at = place?.side === 'RIGHT' ? place : side === 'RIGHT' ? { startLine, endLine } : undefined;
  return at ? { region: { startLine: at.startLine, endLine: at.endLine } } : {};
}
