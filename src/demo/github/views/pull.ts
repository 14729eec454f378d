import { associationOf } from '../association.ts';
import { pullRange } from '../git/pull-range.ts';
import { readDiff } from '../git/read-diff.ts';
import { fullNameOf, type Hub } from '../hub.ts';
import type { Issue, Pull, Repository } from '../records.ts';
import { accountView } from './account.ts';
import { htmlUrlOf, labelView } from './issue.ts';
import { repositoryView } from './repository.ts';
import { optionalTimestamp, timestamp } from './timestamp.ts';

/** A pull request as lists carry it. */
export function pullSimpleView(hub: Hub, repository: Repository, issue: Issue, pull: Pull) {
  const html = htmlUrlOf(hub, repository, issue);
  return {
    id: pull.id,
    node_id: `PR_${pull.id}`,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    ...urls(hub, repository, issue, pull),
    number: issue.number,
    state: issue.state,
    locked: false,
    title: issue.title,
    user: accountView(hub, issue.author),
    body: issue.body,
    created_at: timestamp(issue.createdAt),
    updated_at: timestamp(issue.updatedAt),
    closed_at: optionalTimestamp(issue.closedAt),
    merged_at: optionalTimestamp(pull.merged?.at ?? null),
    merge_commit_sha: pull.merged?.sha ?? null,
    assignee: issue.assignees[0] ? accountView(hub, issue.assignees[0]) : null,
    assignees: issue.assignees.map((account) => accountView(hub, account)),
    requested_reviewers: pull.requestedReviewers.map((account) => accountView(hub, account)),
    requested_teams: [],
    labels: issue.labels.map((label) => labelView(hub, repository, label)),
    milestone: null,
    draft: pull.draft,
    head: headView(hub, repository, issue, pull),
    base: endView(hub, repository, pull.base),
    author_association: associationOf(repository, issue.author),
    auto_merge: null,
    active_lock_reason: null,
  };
}

/** A pull request by itself and in webhooks, with what only its diff tells. */
export async function pullView(hub: Hub, repository: Repository, issue: Issue, pull: Pull) {
  const { from, to, tip } = await pullRange(hub, repository, pull);
  const git = hub.git(repository);
  const [files, commits, mergeable] = await Promise.all([
    readDiff(git, from, to),
    git.askOnce(['rev-list', '--count', `${from}..${to}`]),
    pull.merged ? false : git.askOnce(['merge-tree', '--write-tree', tip, to]).then((tree) => tree !== undefined),
  ]);
  return {
    ...pullSimpleView(hub, repository, issue, pull),
    merged: pull.merged !== null,
    mergeable: issue.state === 'closed' ? null : mergeable,
    rebaseable: mergeable,
    mergeable_state: issue.state === 'closed' ? 'unknown' : mergeable ? 'clean' : 'dirty',
    merged_by: pull.merged && accountView(hub, pull.merged.by),
    comments: issue.comments.length,
    review_comments: pull.threads.flatMap((thread) => thread.comments).length,
    maintainer_can_modify: pull.maintainerCanModify,
    commits: Number(commits),
    changed_files: files.length,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  };
}

/** The short form inside check runs and suites. */
export function pullReference(hub: Hub, repository: Repository, issue: Issue, pull: Pull) {
  const short = (target: Repository) => ({
    id: target.id,
    name: target.name,
    url: `${hub.apiUrl}/repos/${fullNameOf(target)}`,
  });
  return {
    id: pull.id,
    number: issue.number,
    url: `${hub.apiUrl}/repos/${fullNameOf(repository)}/pulls/${issue.number}`,
    head: { ref: pull.head.ref, sha: pull.head.sha, repo: short(pull.head.repository ?? repository) },
    base: { ref: pull.base.ref, sha: pull.base.sha, repo: short(repository) },
  };
}

function headView(hub: Hub, repository: Repository, issue: Issue, { head }: Pull) {
  if (head.repository) return endView(hub, head.repository, head);
  const user = accountView(hub, issue.author);
  return { label: `${issue.author.login}:${head.ref}`, ref: head.ref, sha: head.sha, user, repo: null };
}

function endView(hub: Hub, repository: Repository, { ref, sha }: { ref: string; sha: string }) {
  const user = accountView(hub, repository.owner);
  return { label: `${repository.owner.login}:${ref}`, ref, sha, user, repo: repositoryView(hub, repository) };
}

function urls(hub: Hub, repository: Repository, issue: Issue, pull: Pull) {
  const base = `${hub.apiUrl}/repos/${fullNameOf(repository)}`;
  const url = `${base}/pulls/${issue.number}`;
  const issueUrl = `${base}/issues/${issue.number}`;
  const all = {
    review_comments_url: `${url}/comments`,
    review_comment_url: `${base}/pulls/comments{/number}`,
    commits_url: `${url}/commits`,
    comments_url: `${issueUrl}/comments`,
    statuses_url: `${base}/statuses/${pull.head.sha}`,
  };
  const links = {
    self: { href: url },
    html: { href: htmlUrlOf(hub, repository, issue) },
    issue: { href: issueUrl },
    comments: { href: all.comments_url },
    review_comments: { href: all.review_comments_url },
    review_comment: { href: all.review_comment_url },
    commits: { href: all.commits_url },
    statuses: { href: all.statuses_url },
  };
  return { url, issue_url: issueUrl, ...all, _links: links };
}
