import { lineOf } from './seed.ts';
import type { Seed } from './seed.ts';

/** One finding as people see it; without a line where it stands in the body of the review. */
export interface Told {
  readonly line: number | undefined;
  readonly title: string;
}

export interface Score {
  readonly defects: number;
  /** Defects that were told at all, and those on their very line. */
  readonly found: number;
  readonly placed: number;
  /** Findings beyond the first on a defect. */
  readonly duplicates: number;
  /** Findings on nothing that is wrong. */
  readonly falseAlarms: number;
}

/** Lines beside a defect at which a finding is still about it. */
const NEAR = 2;

/** Holds what was told of a change against what is wrong with it; `shift` is by how many lines its code has moved. Pure. */
export function scoreOf({ head, defects }: Seed, told: readonly Told[], shift = 0): Score {
  const lines = defects.map(({ line }) => lineOf(head, line) + shift);
  const aboutOf = ({ line, title }: Told) =>
    line === undefined
      ? defects.findIndex((defect) => title.includes(defect.title))
      : lines.findIndex((wanted) => Math.abs(wanted - line) <= NEAR);
  const about = told.map(aboutOf);
  const found = new Set(about.filter((at) => at >= 0));
  return {
    defects: defects.length,
    found: found.size,
    placed: lines.filter((wanted) => told.some(({ line }) => line === wanted)).length,
    duplicates: about.filter((at) => at >= 0).length - found.size,
    falseAlarms: about.filter((at) => at < 0).length,
  };
}

export function sumOf(scores: readonly Score[]): Score {
  const sum = (key: keyof Score) => scores.reduce((total, score) => total + score[key], 0);
  return {
    ...{ defects: sum('defects'), found: sum('found'), placed: sum('placed') },
    ...{ duplicates: sum('duplicates'), falseAlarms: sum('falseAlarms') },
  };
}
