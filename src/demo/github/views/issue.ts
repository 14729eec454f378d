import { associationOf } from '../association.ts';
import { fullNameOf, type Hub } from '../hub.ts';
import type { Comment, Issue, Label, Reaction, Repository } from '../records.ts';
import { accountView, appView } from './account.ts';
import { reactionsView } from './reactions.ts';
import { optionalTimestamp, timestamp } from './timestamp.ts';

export function issueView(hub: Hub, repository: Repository, issue: Issue) {
  const repositoryUrl = `${hub.apiUrl}/repos/${fullNameOf(repository)}`;
  const url = `${repositoryUrl}/issues/${issue.number}`;
  return {
    url,
    repository_url: repositoryUrl,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: htmlUrlOf(hub, repository, issue),
    id: issue.id,
    node_id: `${issue.pull ? 'PR' : 'I'}_${issue.id}`,
    number: issue.number,
    title: issue.title,
    user: accountView(hub, issue.author),
    labels: issue.labels.map((label) => labelView(hub, repository, label)),
    state: issue.state,
    locked: false,
    assignee: issue.assignees[0] ? accountView(hub, issue.assignees[0]) : null,
    assignees: issue.assignees.map((account) => accountView(hub, account)),
    milestone: null,
    comments: issue.comments.length,
    created_at: timestamp(issue.createdAt),
    updated_at: timestamp(issue.updatedAt),
    closed_at: optionalTimestamp(issue.closedAt),
    author_association: associationOf(repository, issue.author),
    active_lock_reason: null,
    body: issue.body,
    ...(issue.pull ? { draft: issue.pull.draft, pull_request: pullLinks(hub, repository, issue) } : {}),
    closed_by: issue.closedBy && accountView(hub, issue.closedBy),
    state_reason: issue.stateReason,
    performed_via_github_app: issue.app && appView(hub, issue.app),
    reactions: reactionsView(`${url}/reactions`, issue.reactions),
    timeline_url: `${url}/timeline`,
  };
}

export function commentView(hub: Hub, repository: Repository, issue: Issue, comment: Comment) {
  const repositoryUrl = `${hub.apiUrl}/repos/${fullNameOf(repository)}`;
  const url = `${repositoryUrl}/issues/comments/${comment.id}`;
  return {
    url,
    html_url: `${htmlUrlOf(hub, repository, issue)}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrl}/issues/${issue.number}`,
    id: comment.id,
    node_id: `IC_${comment.id}`,
    user: accountView(hub, comment.author),
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.updatedAt),
    author_association: associationOf(repository, comment.author),
    body: comment.body,
    reactions: reactionsView(`${url}/reactions`, comment.reactions),
    performed_via_github_app: comment.app && appView(hub, comment.app),
  };
}

export function labelView(hub: Hub, repository: Repository, { id, name, color, description }: Label) {
  const url = `${hub.apiUrl}/repos/${fullNameOf(repository)}/labels/${encodeURIComponent(name)}`;
  return { id, node_id: `LA_${id}`, url, name, color, default: false, description };
}

export function reactionView(hub: Hub, { id, content, user, createdAt }: Reaction) {
  return { id, node_id: `REA_${id}`, user: accountView(hub, user), content, created_at: timestamp(createdAt) };
}

export function htmlUrlOf(hub: Hub, repository: Repository, issue: Issue): string {
  return `${hub.url}/${fullNameOf(repository)}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`;
}

function pullLinks(hub: Hub, repository: Repository, issue: Issue) {
  const html = htmlUrlOf(hub, repository, issue);
  return {
    url: `${hub.apiUrl}/repos/${fullNameOf(repository)}/pulls/${issue.number}`,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    merged_at: optionalTimestamp(issue.pull?.merged?.at ?? null),
  };
}
