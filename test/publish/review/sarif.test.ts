import { describe, expect, it } from '@jest/globals';
import type { LedgerEntry } from '../../../src/publish/review/ledger.ts';
import { toSarif } from '../../../src/publish/review/sarif.ts';
import { found } from '../support/one-pull.ts';

const FACTS = { version: '1.2.3', repositoryUrl: 'https://github.com/acme/shop', headSha: 'a'.repeat(40) };
const placed = (more = {}, place?: { startLine: number; endLine: number }) => {
  const finding = found(more);
  const at = place && { ...place, path: finding.path, side: 'RIGHT' as const };
  return { finding, place: at, moved: false, fingerprint: 'f00d' };
};

interface Log {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly versionControlProvenance: unknown;
    readonly results: readonly Record<string, unknown>[];
  }[];
}

describe('bot-review', () => {
  it('R9 SARIF 2.1.0 names each finding with its rule, level, file and lines of the head', () => {
    const log = toSarif([placed({ severity: 'blocker' }, { startLine: 3, endLine: 5 })], FACTS) as Log;

    const [run] = log.runs;
    expect(log.version).toBe('2.1.0');
    expect(run!.versionControlProvenance).toEqual([{ repositoryUri: FACTS.repositoryUrl, revisionId: FACTS.headSha }]);
    expect(run!.results).toEqual([
      {
        ...{ ruleId: 'dsh/blocker', ruleIndex: 0, level: 'error', message: { text: 'It breaks\n\nWhen x = 1, y.' } },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'src/a.js', uriBaseId: '%SRCROOT%' },
              region: { startLine: 3, endLine: 5 },
            },
          },
        ],
        ...{ partialFingerprints: { 'dshFinding/v1': 'f00d' }, properties: { confidence: 0.8 } },
      },
    ]);
    expect(run!.tool.driver.rules[run!.results[0]!.ruleIndex as number]!.id).toBe('dsh/blocker');
  });

  it.each([
    ['major', 'warning'],
    ['minor', 'note'],
    ['nit', 'note'],
  ] as const)('R9 a %s is a %s', (severity, level) => {
    expect((toSarif([placed({ severity })], FACTS) as Log).runs[0]!.results[0]).toMatchObject({ level });
  });

  it('R9 a path is a relative URI, and what was removed has no region in the head', () => {
    const [result] = (toSarif([placed({ path: 'src/ä b#.js', side: 'LEFT' })], FACTS) as Log).runs[0]!.results;

    expect(result!.locations).toEqual([
      { physicalLocation: { artifactLocation: { uri: 'src/%C3%A4%20b%23.js', uriBaseId: '%SRCROOT%' } } },
    ]);
  });

  it('R9 what is still open from earlier reviews is named, too: code scanning takes what is missing for fixed', () => {
    const entry: LedgerEntry = {
      ...{ id: 'f00d', fingerprint: 'f00d', span: 1, path: 'src/a.js', side: 'RIGHT', line: 7, severity: 'major' },
      ...{ title: 'It breaks', state: 'open', inline: true, since: 'b'.repeat(40) },
    };

    const [result] = (toSarif([], { ...FACTS, stillOpen: [entry] }) as Log).runs[0]!.results;

    expect(result).toMatchObject({
      ...{ ruleId: 'dsh/major', level: 'warning', partialFingerprints: { 'dshFinding/v1': 'f00d' } },
      locations: [{ physicalLocation: { region: { startLine: 7, endLine: 7 } } }],
    });
  });

  it('R9 no finding is an empty list of results', () => {
    expect((toSarif([], FACTS) as Log).runs[0]!.results).toEqual([]);
  });
});
