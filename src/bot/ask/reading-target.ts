import type { Config } from '../../config/config.ts';
import type { CheckoutTarget } from '../../github/git/resolve-target.ts';
import type { Subject } from '../context/read-subject.ts';

/** The tree that a job which only reads looks at: a pull request's head, else the base. Pure. */
export function readingTarget(
  { kind, number, pull, repository }: Subject,
  config: Pick<Config, 'pull'>,
): CheckoutTarget {
  return kind === 'pull' && pull
    ? { kind: 'pull', number, baseBranch: pull.baseRef, headSha: pull.headSha }
    : { kind: 'branch', branch: config.pull.base ?? repository.defaultBranch };
}
