import type { DiffFile, Hunk } from '../../github/diff/types.ts';

export interface ShownDiff {
  readonly text: string;
  /** Paths of the files of which hunks did not fit. */
  readonly cut: readonly string[];
}

/**
 * The diff as the reviewer reads it (PR45): before each line its side and number. Hunks are never cut; those that do not
 * fit into `maxChars` are counted in their place (PR17). Pure.
 */
export function showDiff(files: readonly DiffFile[], maxChars: number): ShownDiff {
  const cut: string[] = [];
  let left = maxChars;
  const shown = files.map((file) => {
    const hunks = file.hunks.map(showHunk);
    const fitting = takeWithin(hunks, left);
    left -= lengthOf(fitting);
    if (fitting.length === hunks.length) return [heading(file), ...hunks].join('\n');
    cut.push(file.path);
    const omitted = `[${hunks.length - fitting.length} of ${hunks.length} hunks are not shown: read the file]`;
    return [heading(file), ...fitting, omitted].join('\n');
  });
  return { text: shown.join('\n\n'), cut };
}

function heading(file: DiffFile): string {
  const renamed = file.previousPath ? ` (was ${file.previousPath})` : '';
  const mode =
    file.oldMode && file.newMode && file.oldMode !== file.newMode ? ` mode ${file.oldMode} → ${file.newMode}` : '';
  const what = file.content === 'text' ? '' : ` [${file.content}]`;
  return `=== ${file.path}${renamed} ${file.status}${mode}${what}`;
}

function showHunk(hunk: Hunk): string {
  const lines = hunk.lines.map(({ kind, text, oldLine, newLine }) => {
    if (kind === 'add') return `R${newLine} + ${text}`;
    return kind === 'delete' ? `L${oldLine} - ${text}` : `L${oldLine} R${newLine}   ${text}`;
  });
  return [`@@ ${hunk.section}`.trimEnd(), ...lines].join('\n');
}

function takeWithin(hunks: readonly string[], max: number): string[] {
  const fitting: string[] = [];
  for (const hunk of hunks) {
    if (lengthOf(fitting) + hunk.length > max) break;
    fitting.push(hunk);
  }
  return fitting;
}

function lengthOf(hunks: readonly string[]): number {
  return hunks.reduce((sum, hunk) => sum + hunk.length + 1, 0);
}
