import type { ApprovalRule } from '../../../config/config-file.ts';
import type { TreeChange } from '../../../github/tree/types.ts';
import { ruleFor } from '../ask/approval-rules.ts';

/** More changed files than a person takes in at a glance. */
const MANY_FILES = 200;

/** Files that decide what runs with the repository's rights, and our own settings. */
const SENSITIVE = /^\.github(\/(workflows|actions)(\/.*)?|\/dsh\.ya?ml)?$/i;

/** Which changes need a person's yes, and which are not to be published at all (A6). Pure. */
export function judgePublication(changes: readonly TreeChange[], rules: readonly ApprovalRule[]) {
  const isMany = changes.length > MANY_FILES;
  const saysOf = ({ path }: TreeChange) =>
    ruleFor(rules, { tool: 'publish', arguments: '', paths: [path] }) ??
    (isMany || SENSITIVE.test(path) ? 'ask' : 'allow');
  return {
    asked: changes.filter((change) => saysOf(change) === 'ask'),
    denied: changes.filter((change) => saysOf(change) === 'deny'),
  };
}
