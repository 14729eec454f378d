import { findIssue } from './issues.ts';
import type { Issue, Pull, Repository } from '../records.ts';
import { notFound } from '../refusal.ts';

/** A pull request by number; an issue of that number is a 404. */
export function findPull(repository: Repository, number: string | number | undefined): { issue: Issue; pull: Pull } {
  const issue = findIssue(repository, number);
  if (!issue.pull) throw notFound();
  return { issue, pull: issue.pull };
}
