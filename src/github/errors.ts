import { DshError } from '../errors.ts';

export function repositoryUnavailable(name: string, why: string, cause?: unknown): DshError {
  const hint = 'Check that the repository exists, that the app is installed on it, and that it takes writes.';
  return new DshError(`${name} ${why}.`, 'REPOSITORY_UNAVAILABLE', hint, { cause });
}

/** GitHub knows no such installation of ours, or it is suspended. */
export function installationGone(cause: unknown): DshError {
  const hint = 'Install the app on the repository again, or take it out of suspension.';
  return new DshError('The app is not installed here any more.', 'INSTALLATION_GONE', hint, { cause });
}

export function repositoryEmpty(name: string): DshError {
  return new DshError(`${name} has no commit yet.`, 'REPOSITORY_EMPTY', 'Push a first commit, then ask again.');
}

export function branchMissing(name: string, branch: string): DshError {
  const hint = 'Push that branch, or name another default branch in the repository settings, then ask again.';
  return new DshError(`${name} has no branch \`${branch}\`.`, 'BRANCH_MISSING', hint);
}

export function pullHeadMissing(name: string, number: number): DshError {
  const hint = 'Its fork may be gone. Reopen the pull request from an existing branch, then ask again.';
  return new DshError(`GitHub has no head for ${name}#${number} any more.`, 'PULL_HEAD_MISSING', hint);
}

export function headMoved(ref: string, expected: string, actual: string): DshError {
  const message = `\`${ref}\` was force-pushed: ${expected} is gone, ${actual} is its head now.`;
  return new DshError(message, 'HEAD_MOVED', 'Ask again, and the work starts from the new head.');
}

export function commitMissing(name: string, sha: string): DshError {
  const hint = 'It may have been force-pushed away. Ask again to work on what is there now.';
  return new DshError(`${name} has no commit ${sha}.`, 'COMMIT_MISSING', hint);
}

export function pendingReviewInTheWay(number: number): DshError {
  const message = `A review of #${number} that you have begun and not submitted stands in the way.`;
  return new DshError(message, 'PENDING_REVIEW', 'Submit or discard it on GitHub, then ask again.');
}

export function noMergeBase(baseSha: string, headSha: string): DshError {
  const message = `${baseSha} and ${headSha} have no common ancestor, so there is no diff to look at.`;
  return new DshError(message, 'NO_MERGE_BASE', 'Rebase the branch onto the base branch, then ask again.');
}

export function branchMoved(branch: string, expected: string, actual: string | undefined): DshError {
  const message = `\`${branch}\` moved while the work went on: expected ${expected}, found ${actual ?? 'no branch'}.`;
  return new DshError(message, 'BRANCH_MOVED', 'Ask again, and the work starts from the new head.');
}

export function fileRefused(path: string, bytes: number, cause: unknown): DshError {
  const message = `GitHub does not take \`${path}\` (${Math.ceil(bytes / 1024 ** 2)} MB): it is too large.`;
  return new DshError(message, 'FILE_REFUSED', 'Ask for the change without that file, or with Git LFS.', { cause });
}

export function branchRefused(branch: string, cause: unknown): DshError {
  const message = `GitHub takes no commit of ours on \`${branch}\`: ${String((cause as Error).message)}`;
  return new DshError(message, 'BRANCH_REFUSED', 'A rule of the repository protects this branch.', { cause });
}

/** Git keeps branches as files and folders: one named `dsh` leaves no room for `dsh/issue-1`. */
export function branchInTheWay(name: string, blocking: string): DshError {
  const hint = `Rename \`${blocking}\`, or set \`branch.prefix\` to something that does not begin with \`${blocking}/\`.`;
  return new DshError(`There can be no branch \`${name}\` beside \`${blocking}\`.`, 'BRANCH_IN_THE_WAY', hint);
}

export function branchNameInvalid(name: string): DshError {
  const hint = 'Set `branch.prefix` to something `git check-ref-format --branch` accepts.';
  return new DshError(`\`${name}\` is not a branch name git accepts.`, 'BRANCH_NAME_INVALID', hint);
}

export function snapshotTooLarge(bytes: number, maxBytes: number): DshError {
  const message = `The changes are ${bytes} bytes, more than the ${maxBytes} that are kept.`;
  return new DshError(message, 'SNAPSHOT_TOO_LARGE', 'Raise `park.maxSnapshotBytes`, or ask for less at once.');
}

export function snapshotBroken(cause?: unknown): DshError {
  const hint = 'Ask again with `/dsh fix`; the work starts anew.';
  return new DshError('The kept changes cannot be read any more.', 'SNAPSHOT_BROKEN', hint, { cause });
}
