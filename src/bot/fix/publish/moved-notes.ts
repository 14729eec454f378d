/** A branch that moved while the work went on; both ends as full shas. */
export interface Move {
  readonly branch: string;
  readonly from: string;
  readonly to: string | undefined;
}

export function mergedNote({ branch, from, to }: Move): string {
  return `\`${branch}\` moved from ${from} to ${to} while the work went on. The change was verified on the first and merged onto the second.`;
}

export function caughtUpNote({ branch, from, to }: Move): string {
  return `\`${branch}\` moved from ${from} to ${to} while the work went on. The change was merged onto the second and verified there.`;
}

export function notMergedNote({ branch, from, to }: Move, paths: readonly string[]): string {
  return `\`${branch}\` moved from ${from} to ${to} while the work went on, and the change does not merge there (${namesOf(paths)}). It stands on the commit it was verified on.`;
}

export function rewrittenNote({ branch, from, to }: Move): string {
  return `\`${branch}\` was force-pushed from ${from} to ${to} while the work went on. The change stands on the commit it was verified on.`;
}

export function isOverNote(pull: number, how: 'merged' | 'closed', { branch, from, to }: Move): string {
  return `#${pull} was ${how} while the work went on, so this is a pull request of its own. The change was verified on ${from} and merged onto \`${branch}\` at ${to}.`;
}

/** Of our own pull request that takes one more commit: where it says more, or less, of the work than is so. Pure. */
export function stateNote({ number, draft }: { number: number; draft: boolean }, isDraft: boolean): string[] {
  if (draft === isDraft) return [];
  return isDraft
    ? [`This commit is not shown to be right, and #${number} is not a draft: look at it before you merge.`]
    : [`#${number} is still a draft: mark it as ready once you have looked at it.`];
}

const SHOWN_PATHS = 10;

function namesOf(paths: readonly string[]): string {
  const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : '';
  return `${paths.slice(0, SHOWN_PATHS).join(', ')}${more}`;
}
