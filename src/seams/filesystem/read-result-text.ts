import type { FsEncoding } from './file-system.ts';
import { printablePath } from './printable-path.ts';
import { MAX_WINDOW_BYTES } from './read-window.ts';
import type { FileReadOutcome } from './read-window.ts';

const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/** The window as the model reads it; the footer says what it does not show and how to see that. */
export function readResultText(path: string, outcome: FileReadOutcome, encoding: FsEncoding): string {
  const lines = outcome.lines.map(({ number, text }) => `${number}: ${text}`);
  return [
    `<path>${printablePath(path)}</path>`,
    '<type>file</type>',
    '<content>',
    ...lines,
    '</content>',
    `(${[rangeNote(outcome), ...kindNotes(outcome, encoding)].join('; ')})`,
  ].join('\n');
}

function rangeNote({ offset, lines, totalLines, truncatedByBytes }: FileReadOutcome): string {
  if (totalLines === 0) return 'empty file';
  const last = lines.at(-1)?.number ?? offset;
  const shown = `lines ${lines[0]?.number ?? offset}-${last} of ${totalLines}`;
  if (last >= totalLines) return offset === 1 ? `end of file, ${totalLines} lines` : `${shown}, end of file`;
  const cap = truncatedByBytes ? `, output capped at ${MAX_WINDOW_BYTES / 1024} KiB` : '';
  return `${shown}${cap}; continue with offset ${last + 1}`;
}

function kindNotes({ lines }: FileReadOutcome, encoding: FsEncoding): string[] {
  const isPointer = lines[0]?.number === 1 && lines[0].text.startsWith(LFS_POINTER);
  return [
    ...(encoding === 'utf-8' ? [] : [`encoding ${encoding}`]),
    ...(isPointer ? ['a Git LFS pointer: the content itself is not here'] : []),
  ];
}
