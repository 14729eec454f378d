import type { DiffContent, Hunk } from './types.ts';

const LFS_VERSION = 'version https://git-lfs.github.com/spec/';

/** What kind of thing a file's hunks show. GitHub tells no modes, so a submodule is known by git's own wording. */
export function contentOf(hunks: Hunk[], mode?: string): DiffContent {
  const first = hunks[0]?.lines[0]?.text ?? '';
  if (mode === '160000' || (!mode && /^Subproject commit [0-9a-f]{40}/.test(first))) return 'submodule';
  if (mode === '120000') return 'symlink';
  if (isLfsPointer(first, hunks)) return 'lfs-pointer';
  return 'text';
}

/** A pointer is three lines that begin with its version; a document about LFS has other ones. */
function isLfsPointer(first: string, hunks: Hunk[]): boolean {
  const starts = (prefix: string) => hunks[0]!.lines.some(({ text }) => text.startsWith(prefix));
  return first.startsWith(LFS_VERSION) && hunks.length === 1 && starts('oid sha256:') && starts('size ');
}
