import { contentOf } from './content-of.ts';
import { countLines } from './count-lines.ts';
import { parseHunks } from './parse-hunks.ts';
import type { DiffFile } from './types.ts';
import { unquotePath } from './unquote-path.ts';

/** What the lines between `diff --git` and the first hunk say. */
interface Header {
  oldPath?: string;
  newPath?: string;
  oldMode?: string;
  newMode?: string;
  status: DiffFile['status'];
  binary: boolean;
}

/** Reads the output of `git diff` with `a/` and `b/` prefixes. Binary patches are skipped over. */
export function parseGitDiff(text: string): DiffFile[] {
  const lines = text.split('\n');
  const files: DiffFile[] = [];
  for (let at = 0; at < lines.length;) {
    if (lines[at]!.startsWith('diff --git ')) at = parseFile(lines, at, files);
    else at++;
  }
  return files;
}

function parseFile(lines: string[], start: number, files: DiffFile[]): number {
  const header = headerOf(lines[start]!);
  let at = start + 1;
  while (at < lines.length && !/^(diff --git |@@ )/.test(lines[at]!)) readHeaderLine(lines[at++]!, header);
  const { hunks, end } = parseHunks(lines, at);
  files.push(toFile(header, hunks));
  return end;
}

/** Both names are the same here unless later lines say otherwise, so half of the line is the name. */
function headerOf(line: string): Header {
  const names = line.slice('diff --git '.length);
  const second = names.slice(names.length / 2 + 0.5);
  const path = unquotePath(second).slice('b/'.length);
  return { oldPath: path, newPath: path, status: 'modified', binary: false };
}

const HEADER_LINES: [RegExp, (header: Header, value: string) => void][] = [
  [/^old mode (\d+)$/, (header, mode) => (header.oldMode = mode)],
  [/^new mode (\d+)$/, (header, mode) => (header.newMode = mode)],
  [/^new file mode (\d+)$/, (header, mode) => Object.assign(header, { status: 'added', newMode: mode })],
  [/^deleted file mode (\d+)$/, (header, mode) => Object.assign(header, { status: 'removed', oldMode: mode })],
  [/^index [0-9a-f]+\.\.[0-9a-f]+ (\d+)$/, (header, mode) => Object.assign(header, { oldMode: mode, newMode: mode })],
  [/^rename from (.*)$/s, (header, path) => Object.assign(header, { status: 'renamed', oldPath: unquotePath(path) })],
  [/^rename to (.*)$/s, (header, path) => (header.newPath = unquotePath(path))],
  [/^copy from (.*)$/s, (header, path) => Object.assign(header, { status: 'copied', oldPath: unquotePath(path) })],
  [/^copy to (.*)$/s, (header, path) => (header.newPath = unquotePath(path))],
  [/^--- (?!\/dev\/null)(.*)$/s, (header, path) => (header.oldPath = withoutPrefix(path))],
  [/^\+\+\+ (?!\/dev\/null)(.*)$/s, (header, path) => (header.newPath = withoutPrefix(path))],
  [/^(GIT binary patch|Binary files .*)$/s, (header) => (header.binary = true)],
];

function readHeaderLine(line: string, header: Header): void {
  for (const [pattern, apply] of HEADER_LINES) {
    const match = pattern.exec(line);
    if (match) return apply(header, match[1]!);
  }
}

/** Git ends a name that holds blanks with a tab. */
function withoutPrefix(path: string): string {
  return unquotePath(path.replace(/\t$/, '')).replace(/^[ab]\//, '');
}

function toFile(header: Header, hunks: DiffFile['hunks']): DiffFile {
  const { status, oldPath, newPath, oldMode, newMode, binary } = header;
  const path = (status === 'removed' ? oldPath : newPath) ?? '';
  return {
    path,
    ...((status === 'renamed' || status === 'copied') && { previousPath: oldPath }),
    status,
    content: binary ? 'binary' : contentOf(hunks, newMode ?? oldMode),
    ...countLines(hunks),
    hunks,
    ...(oldMode && { oldMode }),
    ...(newMode && { newMode }),
  };
}
