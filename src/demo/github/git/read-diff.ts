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
  const output = await git.run(['diff', ...options, '--raw', '--numstat', '--patch', '--no-abbrev', '-z', from, to]);
  const fields = output.toString().split('\0');
  const files = takeRaw(fields);
  const counts = files.map(() => takeCounts(fields));
  const patches = splitPatches(fields.join('\0'));
  return files.map((file, index) => ({ ...file, ...counts[index]!, patch: takePatch(patches, file) }));
}

type Named = Pick<DiffFile, 'sha' | 'filename' | 'previousFilename' | 'status'>;

/** Takes the raw entries from the front of git's NUL-separated output. */
function takeRaw(fields: string[]): Named[] {
  const files: Named[] = [];
  while (fields[0]?.startsWith(':')) {
    const [, , before = '', after = '', letter = ''] = fields.shift()!.split(' ');
    const renamed = letter.startsWith('R');
    const first = fields.shift()!;
    const filename = renamed ? fields.shift()! : first;
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

/** Takes the counts of one file. A renamed file has an empty name here, then its two names as fields of their own. */
function takeCounts(fields: string[]): { additions: number; deletions: number } {
  const [additions, deletions, name] = fields.shift()!.split('\t');
  if (name === '') fields.splice(0, 2);
  return { additions: Number(additions) || 0, deletions: Number(deletions) || 0 };
}

/** The hunks of each part of a patch, in order. */
function splitPatches(text: string): (string | undefined)[] {
  return text
    .split(/^\0?(?=diff --git )/m)
    .filter((part) => part !== '')
    .map((part) => /^@@ [^]*/m.exec(part)?.[0].replace(/\n$/, ''));
}

/** Takes one file's hunks. Git writes a file that became a link, or the other way, as gone and made: two parts. */
function takePatch(patches: (string | undefined)[], { status }: Named): string | undefined {
  const own = patches.splice(0, status === 'changed' ? 2 : 1).filter((hunks) => hunks !== undefined);
  return own.length > 0 ? own.join('\n') : undefined;
}
