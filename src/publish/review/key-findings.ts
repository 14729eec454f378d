import type { DiffFile, DiffSide } from '../../github/diff/types.ts';
import type { Finding } from './finding.ts';
import { codeLines, linesOfText, markOf, markOfTitle } from './fingerprint.ts';
import type { CodeLine, CodeMark } from './fingerprint.ts';

/** Lines of code as `codeLines` gives them. */
export type ReadCode = (path: string, side: DiffSide) => readonly CodeLine[];

/** A finding and what it is recognised by on later heads. */
export interface KeyedFinding {
  readonly finding: Finding;
  readonly mark: CodeMark;
}

/** Reads code of the head, and of the removed side as far as the diff shows it. Each file is prepared once. */
export function codeReader(files: readonly DiffFile[], headFile: (path: string) => string | undefined): ReadCode {
  const known = new Map<string, readonly CodeLine[]>();
  return (path, side) => {
    const key = `${side} ${path}`;
    const found = known.get(key) ?? codeLines(side === 'RIGHT' ? ofHead(path) : shown(path, 'LEFT'));
    known.set(key, found);
    return found;
  };

  function ofHead(path: string): CodeLine[] {
    const text = headFile(path);
    return text === undefined ? shown(path, 'RIGHT') : linesOfText(text);
  }

  function shown(path: string, side: DiffSide): CodeLine[] {
    const file = files.find((one) => one.path === path || one.previousPath === path);
    return (file?.hunks ?? []).flatMap(({ lines }) =>
      lines.flatMap(({ text, oldLine, newLine }) => {
        const line = side === 'LEFT' ? oldLine : newLine;
        return line === undefined ? [] : [{ line, text }];
      }),
    );
  }
}

/**
 * Gives each finding its mark. Findings of one review at the same code with other titles are different ones; with the
 * same title they are one, told once, at the fewest lines that show it. Pure.
 */
export function keyFindings(findings: readonly Finding[], read: ReadCode): KeyedFinding[] {
  const keyed: KeyedFinding[] = [];
  for (const finding of findings) {
    const { path, side, title } = finding;
    const one = { finding, mark: markOf(path, finding, read(path, side)) ?? markOfTitle(path, title) };
    const at = keyed.findIndex((other) => isSame(other, one));
    if (at < 0) keyed.push(one);
    else if (lengthOf(finding) < lengthOf(keyed[at]!.finding)) keyed[at] = one;
  }
  return keyed;
}

function isSame(one: KeyedFinding, other: KeyedFinding): boolean {
  const [a, b] = [one.finding, other.finding];
  if (a.path !== b.path || a.title !== b.title) return false;
  const overlap = a.side === b.side && a.startLine <= b.endLine && b.startLine <= a.endLine;
  return overlap || one.mark.fingerprint === other.mark.fingerprint;
}

function lengthOf({ startLine, endLine }: Finding): number {
  return endLine - startLine;
}
