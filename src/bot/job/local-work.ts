import type { Subject } from '../context/read-subject.ts';

/** A job on a git checkout of this machine, with no GitHub behind it. */
export interface LocalWork {
  /** What stands in for an issue: the checkout as a repository, the task as a title. */
  readonly subject: Subject;
  /** The checkout's git directory: the branch with the result is made there. */
  readonly gitDir: string;
  /** The commit that the work starts from. */
  readonly headSha: string;
}
