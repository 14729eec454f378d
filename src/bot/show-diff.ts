import type { DiffFile, Hunk } from '../github/diff/types.ts';

/** The diff as the reviewer reads it (PR45): before each line its side and number; hunks are never cut. Pure. */
export function showDiff(files: readonly DiffFile[]): string {
  return files.map(showFile).join('\n\n');
}

function showFile(file: DiffFile): string {
  const renamed = file.previousPath ? ` (was ${file.previousPath})` : '';
  const mode = file.oldMode && file.newMode && file.oldMode !== file.newMode ? ` mode ${file.oldMode} → ${file.newMode}` : '';
  const what = file.content === 'text' ? '' : ` [${file.content}]`;
  return [`=== ${file.path}${renamed} ${file.status}${mode}${what}`, ...file.hunks.map(showHunk)].join('\n');
}

function showHunk(hunk: Hunk): string {
  const lines = hunk.lines.map(({ kind, text, oldLine, newLine }) => {
    if (kind === 'add') return `R${newLine} + ${text}`;
    return kind === 'delete' ? `L${oldLine} - ${text}` : `L${oldLine} R${newLine}   ${text}`;
  });
  return [`@@ ${hunk.section}`.trimEnd(), ...lines].join('\n');
}
