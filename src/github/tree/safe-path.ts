/** With what HFS+ drops from names and what NTFS calls `.git` besides: git refuses such names as well. */
const GIT_FOLDER = /^(\.git|git~1)$/i;
const HFS_DROPPED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Names git's own folder on some file system, whatever the case. */
export function isGitFolder(name: string): boolean {
  return GIT_FOLDER.test(name.replace(HFS_DROPPED, ''));
}

/** Whether a path with `/`, taken from a work tree's root, stays below it and out of git's own folder (X10). Pure. */
export function isSafePath(path: string): boolean {
  if (path.includes('\0')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !isGitFolder(part));
}
