import { branchNameInvalid } from './errors.ts';

export type BranchSubject = { kind: 'issue' | 'pull'; number: number } | { kind: 'run'; id: string };

const MAX_SLUG = 40;

/** `dsh/issue-12-fix-the-parser`: a name git accepts, whatever the title holds. Throws `BRANCH_NAME_INVALID`. */
export function branchName(subject: BranchSubject, title: string, prefix = 'dsh/'): string {
  const name = [branchStem(subject, prefix), slugOf(title)].filter(Boolean).join('-');
  if (!isValidBranchName(name)) throw branchNameInvalid(name);
  return name;
}

/** What all branches of a subject begin with: `dsh/issue-12`. */
export function branchStem(subject: BranchSubject, prefix: string): string {
  return `${prefix}${subject.kind}-${subject.kind === 'run' ? slugOf(subject.id) : subject.number}`;
}

/** The name itself, then `…-2`, `…-3`: a branch somebody else made under our name stays theirs. */
export function* branchNameCandidates(name: string): Generator<string, never> {
  yield name;
  for (let suffix = 2; ; suffix++) yield `${name}-${suffix}`;
}

/** The branches that leave no room for one of this name: `a` and `a/b` for `a/b/c`. Pure. */
export function branchesAbove(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** At most 40 ASCII characters, cut between words where there are any; empty when the title has none to keep. */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  let slug = words.shift()?.slice(0, MAX_SLUG) ?? '';
  for (const word of words) {
    if (slug.length + 1 + word.length > MAX_SLUG) break;
    slug += `-${word}`;
  }
  return slug;
}

/** The rules of `git check-ref-format --branch`. */
export function isValidBranchName(name: string): boolean {
  if (name === '' || name === 'HEAD' || name.startsWith('-')) return false;
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|[./]$/.test(name)) return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}
