/** What is missing from a preview; `unknown` when its source was not read to the end. */
export type Omitted = { kind: 'none' } | { kind: 'exact'; count: number } | { kind: 'unknown' };
export type RetentionUnit = 'items' | 'bytes' | 'chars' | 'lines';

/**
 * What a budget did to a text or list: `scope` names what was cut, `strategy` which part was kept. That a source was
 * itself incomplete is another fact and does not belong here.
 */
export interface RetentionNotice {
  scope: string;
  strategy: 'head' | 'tail' | 'headTail';
  unit: RetentionUnit;
  limit: number;
  kept: number;
  omitted: Omitted;
}

export function omittedCount(count: number): Omitted {
  return count === 0 ? { kind: 'none' } : { kind: 'exact', count };
}

/** A sentence, or nothing where nothing is missing. */
export function describeOmitted(omitted: Omitted, unit: RetentionUnit): string {
  switch (omitted.kind) {
    case 'none':
      return '';
    case 'exact':
      return `Omitted ${omitted.count} ${omitted.count === 1 ? unit.slice(0, -1) : unit}.`;
    case 'unknown':
      return `More ${unit} were omitted.`;
  }
}

/** What is missing and, in the tool's own words, how to get it: one parenthesis for the end of a result. */
export function formatRetentionNotice({ omitted, unit }: RetentionNotice, recovery: string): string {
  const sentences = [describeOmitted(omitted, unit), recovery].filter((sentence) => sentence !== '');
  return sentences.length === 0 ? '' : `(${sentences.join(' ')})`;
}
