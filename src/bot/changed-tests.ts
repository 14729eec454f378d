import type { TreeChange } from '../github/tree/types.ts';

/** Folders and names by which the usual test runners know a test file. */
const TEST_PATH = /(^|\/)(tests?|__tests__|specs?)\/|(^|\/)test_[^/]+\.py$|[._-](test|spec)s?\.[a-z]+$|_test\.go$/i;

/** Tests that existed before the change and were changed or removed by it: the pull request says so (F2). Pure. */
export function changedTests(changes: readonly TreeChange[]): string[] {
  return changes.filter((change) => change.kind !== 'added' && TEST_PATH.test(change.path)).map((change) => change.path);
}
