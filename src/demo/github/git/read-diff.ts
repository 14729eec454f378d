import type { Git } from './git.ts';

export interface DiffFile {
  /** The blob after the change; before it, where the file is gone. */
  sha: string;
  filename: string;
  previousFilename: string | undefined;
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'changed';
  additions: number;
  deletions: number;
  /** The hunks, as git writes them; none for binary files, pure renames and mode changes. */
  patch: string | undefined;
}

const options = ['-M', '--no-ext-diff', '--no-textconv', '--no-color'];
const kept = 40;
const cache = new WeakMap<Git, Map<string, Promise<DiffFile[]>>>();

/** The files that differ between two commits, in git's order. */
export function readDiff(git: Git, from: string, to: string): Promise<DiffFile[]> {
  const diffs = cache.get(git) ?? new Map<string, Promise<DiffFile[]>>();
  cache.set(git, diffs);
  const key = `${from} ${to}`;
  const known = diffs.get(key) ?? computeDiff(git, from, to);
  diffs.delete(key);
  diffs.set(key, known);
  if (diffs.size > kept) diffs.delete(diffs.keys().next().value!);
  return known;
}

/** The same as one text, the way the diff media type gives it. */
export async function readDiffText(git: Git, from: string, to: string): Promise<string> {
  return (await git.run(['diff', ...options, from, to])).toString();
}

async function computeDiff(git: Git, from: string, to: string): Promise<DiffFile[]> {
  const [raw, numbers, text] = await Promise.all([
    git.run(['diff', ...options, '--raw', '--no-abbrev', '-z', from, to]),
    git.run(['diff', ...options, '--numstat', '-z', from, to]),
    readDiffText(git, from, to),
  ]);
  const counts = parseNumstat(numbers.toString());
  const patches = splitPatches(text);
  return parseRaw(raw.toString()).map((file, index) => ({ ...file, ...counts[index]!, patch: patches[index] }));
}

type Named = Pick<DiffFile, 'sha' | 'filename' | 'previousFilename' | 'status'>;

function parseRaw(raw: string): Named[] {
  const fields = raw.split('\0');
  const files: Named[] = [];
  for (let at = 0; at < fields.length - 1;) {
    const [, , before = '', after = '', letter = ''] = fields[at++]!.split(' ');
    const renamed = letter.startsWith('R');
    const first = fields[at++]!;
    const filename = renamed ? fields[at++]! : first;
    const status = statusOf(letter);
    files.push({
      sha: status === 'removed' ? before : after,
      filename,
      previousFilename: renamed ? first : undefined,
      status,
    });
  }
  return files;
}

function statusOf(letter: string): DiffFile['status'] {
  const names = { A: 'added', D: 'removed', M: 'modified', R: 'renamed', T: 'changed' } as const;
  return names[letter[0] as keyof typeof names] ?? 'modified';
}

/** A renamed file has an empty name here, then its two names as entries of their own. */
function parseNumstat(text: string): { additions: number; deletions: number }[] {
  const fields = text.split('\0');
  const counts: { additions: number; deletions: number }[] = [];
  for (let at = 0; at < fields.length - 1; at++) {
    const [additions, deletions, name] = fields[at]!.split('\t');
    if (name === '') at += 2;
    counts.push({ additions: Number(additions) || 0, deletions: Number(deletions) || 0 });
  }
  return counts;
}

function splitPatches(text: string): (string | undefined)[] {
  return text
    .split(/^(?=diff --git )/m)
    .filter((part) => part !== '')
    .map((part) => /^@@ [^]*/m.exec(part)?.[0].replace(/\n$/, ''));
}
