import { repositoryUnavailable } from '../errors.ts';
import { GitError, isUnauthorized } from './git.ts';

/** Turns git's ways of saying "I may not read that" into an answer a person can act on; other errors stay. */
export function explainFetchFailure(repository: string, error: unknown): unknown {
  if (!(error instanceof GitError)) return error;
  const { stderr } = error;
  if (/repository .*not found|returned error: 404|does not appear to be a git repository/i.test(stderr)) {
    return repositoryUnavailable(repository, 'was not found by git', error);
  }
  if (isUnauthorized(error)) {
    return repositoryUnavailable(repository, 'may not be read by git with this token', error);
  }
  return error;
}
