import { lineOf } from './seed.ts';
import type { Seed } from './seed.ts';

export interface Report {
  readonly path: string;
  readonly side: 'LEFT' | 'RIGHT';
  readonly startLine: number;
  readonly endLine: number;
  readonly severity: string;
  readonly confidence: number;
  readonly title: string;
  readonly body: string;
  readonly scenario: string;
  readonly evidence: string;
  readonly proof: string;
}

/** Claims with this word are wrong; the scripted second look finds that out. */
export const WRONG = 'WRONG';

/**
 * What a reviewer reports that sees everything and is careless: each defect twice, its lines named in some crooked way, and
 * around them false alarms of every kind that a pipeline has to stop. `shift` is by how many lines the code has moved.
 */
export function carelessReports(
  seed: Seed,
  path: string,
  { shift, words }: { shift: number; words: string },
): Report[] {
  const real = seed.defects.flatMap((defect, at) => {
    const line = lineOf(seed.head, defect.line) + shift;
    const { severity, scenario } = defect;
    const report = reportAt(path, line, { severity, scenario, title: `${defect.title}${words}` });
    return [crooked(report, at + seed.id.length), report];
  });
  const changed = changedLine(seed) + shift;
  return [...falseAlarms(path, changed), ...real];
}

function reportAt(path: string, line: number, more: Partial<Report>): Report {
  return {
    ...{ path, side: 'RIGHT', startLine: line, endLine: line, severity: 'major', confidence: 0.8 },
    ...{ title: 'It breaks', body: 'When called as below, it breaks.', scenario: 'f(1) gives 2.' },
    ...{ evidence: 'traced', proof: `${path}:${line} and ${path}:1` },
    ...more,
  };
}

/** The same place in words that GitHub would not take as they are. */
function crooked(report: Report, nth: number): Report {
  const { endLine } = report;
  const ways: readonly Partial<Report>[] = [
    { startLine: endLine, endLine: Math.max(1, endLine) },
    { startLine: endLine, endLine },
    // The wrong way round.
    { startLine: endLine, endLine: Math.max(1, endLine - 1) },
  ];
  return { ...report, ...ways[nth % ways.length] };
}

function falseAlarms(path: string, line: number): Report[] {
  const at = (more: Partial<Report>) => reportAt(path, line, more);
  return [
    at({ title: `${WRONG}: a guard above makes it impossible`, severity: 'blocker' }),
    at({ title: `${WRONG}: nobody calls it this way`, severity: 'minor' }),
    at({ title: 'A hunch', confidence: 0.2 }),
    at({ title: 'The name could be better', severity: 'nit' }),
    at({ title: 'Perhaps slow', scenario: 'This might possibly be slow for some callers.' }),
    at({ title: 'Called from elsewhere', proof: 'src/not/there.ts:12 calls it' }),
    at({ title: 'No trace', proof: 'It is obvious.' }),
  ];
}

/** The first line that differs. */
function changedLine({ base, head }: Seed): number {
  const old = base.split('\n');
  return head.split('\n').findIndex((line, at) => line !== old[at]) + 1;
}
